import {
  acceptRetry,
  assertRunnable,
  type AcceptedRun,
  type FlowCache,
  type PlayAcceptance,
  type RunnableFlow,
} from '@weft/runs';
import { isFinal, outputRef } from '@weft/contracts';
import { chainOf, decideRetry, outOf, retryOf, type LayerResult, type ParentLayer, type Play } from '@weft/engine';
import { jsonFault, WeftError } from '@weft/kernel';
import { LayerFailure, type PlayEnd, type PlaysSource, type StartPlayRequest } from '@weft/layers';
import {
  firstOf,
  TenantScope,
  type ChildPlaysRepository,
  type EndedPlay,
  type EndedPlaysRepository,
  type PayloadStore,
  type RetriesRepository,
  type StartedPlay,
} from '@weft/store';
import { type FlowVersionRepository } from '@weft/records';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNoneWaitsFor } from './waits-for-itself.js';
import { retryWhileUnavailable } from '../plays/store-retries.js';

/** How deep plays may start plays. Flows that call each other end at this depth. */
export const MAX_DEPTH = 16;

export interface ChildPlaysDeps {
  readonly flows: Pick<FlowCache, 'get'>;
  readonly acceptance: Pick<PlayAcceptance, 'accept' | 'acceptPrepared' | 'keyOfLimit' | 'laneOf' | 'nextPlayId'>;
  readonly children: Pick<ChildPlaysRepository, 'childOf' | 'find' | 'markCollected' | 'parent' | 'toRetry'>;
  readonly retries: Pick<RetriesRepository, 'latest'>;
  readonly versions: Pick<FlowVersionRepository, 'find'>;
  readonly endings: Pick<EndedPlaysRepository, 'endedAmong'>;
  readonly payloads: Pick<PayloadStore, 'output' | 'share' | 'letGo' | 'userFiles'>;
  readonly serverNow: () => number;
  readonly closing: () => boolean;
}

/**
 * Plays that layers start: accepted like any run. The store keeps at most one child play for each layer of each play, so
 * that a layer that is called again after a crash finds the child that it has started. A layer of a retry goes on with the
 * child that it has started before: with one that failed by retrying it.
 */
export function childPlays(parts: ChildPlaysDeps): PlaysSource {
  const { flows, acceptance, children, endings, payloads, closing } = parts;
  const ended = async (companyId: string, playId: string): Promise<PlayEnd | null> => {
    const [found] = await retryWhileUnavailable(() => endings.endedAmong([playId]), closing);
    return found?.company_id === companyId ? retryWhileUnavailable(() => toPlayEnd(found, payloads), closing) : null;
  };

  const accept = async (
    parent: Play,
    layer: number,
    { flowId, args, awaited }: StartPlayRequest,
    item: number | undefined,
  ): Promise<Begun> => {
    const scope = new TenantScope(parent.company_id);
    const place = { layer, ...(item !== undefined && { item }) };
    const known = await children.childOf(scope, flowId, parent, place);
    if (known?.parentPlayId === parent._id) return known;
    const earlier = known && (await lastRetry(known, parts));
    if (earlier && earlier.state !== 'FAIL') return awaited ? notRunning(earlier) : earlier;
    const depth = (parent.parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new LayerFailure('too_deep', `Flows run flows ${MAX_DEPTH} deep at most.`);
    // computed, so not validated yet
    const fault = jsonFault(args, 'args');
    if (fault) throw new LayerFailure('invalid_args', `"${fault.path}" ${fault.message}.`);
    const flow = await flows.get(scope, flowId);
    if (!flow) throw new LayerFailure('flow_not_found', `The company has no flow "${flowId}".`);
    assertRunnable(flow);
    const limitKey = await acceptance.keyOfLimit(flow, { args });
    const assertNoneWaits = async (lane: string | null) =>
      awaited && assertNoneWaitsFor(flow, { lane, limitKey }, parent, children);
    await assertNoneWaits(earlier?.lane ?? (await acceptance.laneOf(flow, { args })));
    const { first, nth } = chainOf(parent);
    const child: Child = {
      priority: flow.settings.priority ?? parent.priority,
      parentPlayId: parent._id,
      parent: { flowId: parent.flowId, first, nth, ...place, depth, ...(awaited && { awaited }) },
    };
    const { triggeredBy, handlesFailureOf, labels } = parent;
    const retried = earlier && (await retryChild(earlier, flow, { triggeredBy, child }, parts));
    // a new play of the flow as it is now, maybe in another lane
    if (earlier && !retried) await assertNoneWaits(await acceptance.laneOf(flow, { args }));
    const { play } =
      retried ??
      (await acceptance.accept(flow, {
        ...{ ...child, triggeredBy, args, trigger: 'flow', handlesFailureOf, parentLabels: labels },
      }));
    // another hand-out of the parent was faster, or else a person, with a child that the layer does not wait for
    return awaited && play.parentPlayId !== parent._id ? notRunning(play) : play;
  };

  return {
    start: async (parent, position, ask, item) => {
      try {
        // the layer was set going because this play has ended
        const waitedFor = parent.waits?.[position]?.children?.playId;
        const known = waitedFor === undefined ? null : await ended(parent.company_id, waitedFor);
        if (known) return { playId: known.playId, state: known.state, ended: known };
        const accepted = () => accept(parent, position, ask, item);
        const { _id: playId, state } = await retryWhileUnavailable(accepted, closing);
        const end = isFinal(state) ? await ended(parent.company_id, playId) : null;
        // erased in this moment: nothing would end the wait for it
        if (isFinal(state) && !end && ask.awaited)
          throw new LayerFailure('child_failed', `The play ${playId} is not stored any more.`);
        return { playId, state: state === 'NEW' ? 'RUN' : state, ended: end };
      } catch (error) {
        if (error instanceof WeftError) throw new LayerFailure(error.code, error.message, undefined, { cause: error });
        throw error;
      }
    },
    collected: (parent, position, items) =>
      retryWhileUnavailable(
        () => children.markCollected(new TenantScope(parent.company_id), parent._id, position, items),
        closing,
      ),
  };
}

/** A play that a layer has started. */
type Begun = Pick<Play, '_id' | 'state'>;

type Child = Required<Pick<Play, 'priority' | 'parentPlayId'>> & { readonly parent: ParentLayer };

/** Of a child that failed, the last play of its chain: a person may have retried it when no layer waited for it. */
async function lastRetry(child: StartedPlay, { children, retries }: Pick<ChildPlaysDeps, 'children' | 'retries'>) {
  const scope = new TenantScope(child.company_id);
  const last = child.state === 'FAIL' ? await retries.latest(scope, firstOf(child)) : null;
  return last && last._id !== child._id ? ((await children.find(scope, last._id)) ?? child) : child;
}

/** @throws LayerFailure `child_running`: it reports its end to another play, or to nobody */
function notRunning(child: Begun): Begun {
  if (isFinal(child.state)) return child;
  const message = `The play ${child._id}, which this layer started before the retry, has not ended, and a second one would do the same again: wait for its end or cancel it, then retry once more.`;
  throw new LayerFailure('child_running', message);
}

/**
 * A retry of a child that failed, for the layer of its parent's retry. Null when that is impossible: its flow changed, or
 * its results are no longer stored.
 */
async function retryChild(
  earlier: StartedPlay,
  flow: RunnableFlow,
  by: { readonly triggeredBy: string | null; readonly child: Child },
  { acceptance, children, versions, payloads, serverNow }: ChildPlaysDeps,
): Promise<AcceptedRun | null> {
  if (earlier.version !== flow.version) return null;
  const failed = await children.toRetry(new TenantScope(earlier.company_id), earlier._id);
  if (!failed) return null;
  const decision = decideRetry(failed, new Date(serverNow()));
  if (decision.kind === 'refuse') return null;
  if (decision.kind === 'later') await sleep(decision.waitMs);
  const version = await versions.find(new TenantScope(failed.company_id), failed.flowId, failed.version);
  if (!version) return null;
  const request = { playId: acceptance.nextPlayId(), serverNow: new Date(serverNow()), ...by };
  return acceptRetry(retryOf(failed, version, request), { payloads, acceptance });
}

/** Larger outputs of a play are passed as a reference. */
const WHOLE_BYTES = 1024 * 1024;

type Payloads = ChildPlaysDeps['payloads'];

async function toPlayEnd(play: EndedPlay, payloads: Payloads): Promise<PlayEnd> {
  const { _id: playId, state, error, last } = play;
  return { playId, state, out: last && (await outputOf(play, last, payloads)), error: error ?? null };
}

async function outputOf(play: EndedPlay, result: LayerResult, payloads: Payloads): Promise<unknown> {
  const { ref, outRef } = result;
  if (!outRef) return outOf(result);
  const whole = outRef.bytes <= WHOLE_BYTES;
  const stored = whole ? await payloads.output(new TenantScope(play.company_id), outRef) : null;
  return stored ? stored.out : outputRef(play._id, ref, outRef.bytes);
}
