/** Plays a version with the args and the recorded answers of a play that has ended. */
import { acceptPlay, chainOf, type FlowVersion, type Play } from '@weft/engine';
import type { LayerError } from '@weft/expressions';
import type { Sandbox } from '@weft/sandbox';
import { errorOf } from '../call/layer-call.js';
import type { Faces } from '../face.js';
import { InlineBudget } from '../memory/inline-budget.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { LayerRunner, type LayerEnd } from '../call/layer-runner.js';
import type { PreparedVersion } from '../call/prepared-version.js';
import { CallLog, type LoggedCall } from './call-log.js';
import { endOf, shownLayers, type DryRun } from './dry-run.js';
import { MemoryPayloads } from './memory-payloads.js';
import { recordedSteps } from './recorded-steps.js';
import { answerFor, asRecorded, withRecords, type Records } from './recorded-version.js';
import { reachesOutside, recordedLayers, recordedOut, wasAnswered, type RecordedPlay } from './recorded-play.js';
import { NO_WAY_OUT, Rehearsal } from './rehearsal.js';
import { asSkipped, isMissing } from './rehearsed-version.js';
import { uncertainRefs } from './uncertain-refs.js';

export interface PlayRehearsalRequest {
  /** The version to play; its outputs are held to `settings.maxOutputBytes`. */
  readonly version: FlowVersion;
  readonly recorded: RecordedPlay;
  readonly companyName: string;
  readonly playUrl: PreparedVersion['playUrl'];
  /** What the layers of the version name that the company has of its own, and those of the version that the play ran. */
  readonly faces: { readonly version: Faces; readonly recorded: Faces };
  /** Opens stored outputs and args of the play. */
  readonly open: LayerPayloads['open'];
  /** Bytes that new outputs have together. */
  readonly maxBytes: number;
  /** Runs what users wrote; the caller closes it. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** When it is aborted, no further layer runs, and the play is FAIL with `play_timeout`. */
  readonly signal: AbortSignal;
}

export interface PlayRehearsal extends DryRun {
  /** By ref: the calls that would be made … */
  readonly calls: ReadonlyMap<string, readonly LoggedCall[]>;
  /** … and those that the play had made. */
  readonly recordedCalls: ReadonlyMap<string, readonly LoggedCall[]>;
  /** Layers whose calls are steps, and those of them of which nobody can say any more what the play had asked. */
  readonly inSteps: ReadonlySet<string>;
  readonly unknownSteps: ReadonlySet<string>;
  /** Layers whose results depend on a missing answer. */
  readonly uncertain: ReadonlySet<string>;
}

type Means = Pick<PlayRehearsalRequest, 'sandbox' | 'signal'> & { readonly payloads: LayerPayloads };

/** Never rejects because of the flow. */
export async function rehearsePlay(request: PlayRehearsalRequest): Promise<PlayRehearsal> {
  const { version, recorded, open, maxBytes, sandbox, signal } = request;
  const missing: string[] = [];
  const layers = recordedLayers(recorded);
  const calls = new CallLog();
  const { companyName, playUrl, faces } = request;
  const incomplete = () => missing.length > 0;
  const steps = await recordedSteps(recorded, open);
  const records = { companyName, playUrl, layers, steps };
  const prepared = withRecords(version, { ...records, calls, incomplete, faces: faces.version });
  const definitions = new Map(version.layers.map((layer) => [layer.ref, layer]));
  const settle = (end: LayerEnd, ref: string): LayerEnd => {
    if (isMissing(end)) {
      missing.push(ref);
      return asSkipped(end);
    }
    const definition = definitions.get(ref);
    if (!definition || !reachesOutside(definition.appId)) return end;
    const answer = answerFor(definition, layers);
    return answer ? asRecorded(end, answer) : end;
  };
  const means: Means = { sandbox, signal, payloads: new MemoryPayloads({ open, maxBytes }) };
  const began = playAgain(recorded.play, version);
  const rehearsal = new Rehearsal(prepared, began, began.createdAt, { ...means, settle });
  const play = await rehearsal.toTheEnd();
  const made = await callsMade(request, { ...records, faces: faces.recorded }, means);
  return {
    ...endOf(play, signal),
    layers: shownLayers(version, play, rehearsal.outputs),
    missingFixtures: missing,
    calls: calls.calls,
    recordedCalls: made.calls,
    inSteps: new Set([...calls.inSteps, ...made.inSteps]),
    unknownSteps: made.unknown,
    uncertain: uncertainRefs(prepared, missing, play),
  };
}

/** A new play with the args, the id, the clock and the chance of the old one. */
function playAgain(old: Play, version: FlowVersion): Play {
  const { _id: playId, args, argsRef, labels, idempotencyKey = null } = old;
  return acceptPlay({
    playId,
    companyId: version.companyId,
    flowId: version.flowId,
    version: version.version,
    args,
    ...(argsRef && { argsRef }),
    idempotencyKey,
    ...(labels && { labels }),
    dueAt: null,
    trigger: old.trigger,
    triggeredBy: null,
    chain: chainOf(old),
    serverNow: chainOf(old).at,
  });
}

/** The calls that the play had made, from the outputs that its layers had read. */
async function callsMade(
  { recorded }: PlayRehearsalRequest,
  records: Omit<Records, 'calls' | 'incomplete'>,
  { sandbox, signal, payloads }: Means,
): Promise<CallLog> {
  const { version } = recorded;
  // a retry calls only the items of a loop that are not done: the calls before it count, too
  const { doneItems: _doneItems, ...play } = recorded.play;
  const { layers } = records;
  const calls = new CallLog();
  const prepared = withRecords(version, { ...records, calls, incomplete: () => false });
  const serverNow = () => chainOf(play).at.getTime();
  const runner = new LayerRunner({ sandbox, http: NO_WAY_OUT, payloads, serverNow });
  const outputs = new Map<string, unknown>();
  const errors = new Map<string, LayerError>();
  for (const [position, { ref, appId }] of version.layers.entries()) {
    const made = layers.get(ref);
    if (made && reachesOutside(appId) && wasAnswered(made) && !signal.aborted) {
      const { wait, answer, by } = { wait: null, answer: null, by: 'dry-run:1' };
      const inlineBudget = new InlineBudget();
      const call = { play, prepared, position, attempt: 1, wait, answer, outputs, errors, inlineBudget, signal, by };
      await runner.run(call);
    }
    if (!made) continue;
    const error = errorOf(made.result);
    outputs.set(ref, recordedOut(made.result));
    if (error) errors.set(ref, error);
  }
  return calls;
}
