import {
  chainOf,
  toLabels,
  type DoneItems,
  type FlowVersion,
  type KvUse,
  type LayerResult,
  type LayerWait,
  type Play,
  type StoredStep,
} from '@weft/engine';
import type { ApprovalLinksOf, ExpressionScope, FlowFacts, LayerError, PlayFacts } from '@weft/expressions';
import type { InlineBudget } from '../memory/inline-budget.js';
import { KvTally } from './kv-source.js';
import { LINK_MARKS } from './link-marks.js';
import type { PreparedLayer, PreparedVersion } from './prepared-version.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** One call of one layer, with everything that it may know. */
export interface LayerCall {
  readonly play: Play;
  readonly prepared: PreparedVersion;
  readonly position: number;
  /** Number of this call, from 1: one more than the known failed calls. */
  readonly attempt: number;
  /** What the layer waits for, as it returned at an earlier visit; null: it does not wait. */
  readonly wait: LayerWait | null;
  /** An answer that has arrived for it (`Play.inbox`). */
  readonly answer: { readonly payload: unknown } | null;
  /** Outputs of earlier layers, by ref; large ones still as `UnloadedOutput`. */
  readonly outputs: Map<string, unknown>;
  /** Failures of earlier layers, by ref. */
  readonly errors: ReadonlyMap<string, LayerError>;
  /** Space for outputs in the document of the play. */
  readonly inlineBudget: InlineBudget;
  readonly signal: AbortSignal;
  readonly by: string;
  /**
   * Called before each effect: whether the play certainly still belongs to this worker (docs/protocol.md §3, rule 4).
   * Default: it does.
   */
  readonly proven?: () => true | Promise<boolean>;
  /**
   * Stores what a loop has done so far, so that it is not done again after a crash, a cancel or a time limit. False: not now.
   *
   * @param step of a layer whose next step begins only when this one is stored
   */
  readonly keep?: (items: DoneItems, step?: Pick<StoredStep, 'takesAnswer'>) => Promise<boolean>;
  /** For how long its requests wait in the slot of the play for rate limits, in ms; left out: for a moment. */
  readonly slotMs?: number;
  /**
   * Aborted when the process stops or the play is on hold: a request that waits for a rate limit is made later, and a loop goes on
   * later with its next item, page or round.
   */
  readonly leave?: AbortSignal;
  /** Called at most once a second with the progress of this call; not for a call that ends soon. */
  readonly progress?: (update: { position: number; attempt: number; percent: number; status: string }) => void;
  /** Called at most four times a second for a text. @returns whether somebody may have got it */
  readonly says?: (text: { position: number; answer: number; at: number; text: string }) => boolean;
}

/** An output of an earlier hand-out that is in the payload store. */
export class UnloadedOutput {
  constructor(readonly ref: NonNullable<LayerResult['outRef']>) {}
}

/** A call with its layer looked up. */
export interface PreparedCall {
  readonly call: LayerCall;
  readonly layer: PreparedLayer;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** What the layer does with the key-value store: created at its first use. */
  readonly tally: () => KvTally;
  readonly kvUse: () => KvUse | undefined;
}

/** @throws RangeError when the version has no layer at this position */
export function prepareCall(call: LayerCall): PreparedCall {
  const { prepared, position, play } = call;
  const layer = prepared.layers[position];
  if (!layer) throw new RangeError(`play ${play._id} has no layer at ${position}`);
  let tally: KvTally | undefined;
  return {
    call,
    layer,
    timeoutMs: layer.definition.timeoutMs ?? layer.module?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxOutputBytes: prepared.version.settings.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
    tally: () => (tally ??= new KvTally()),
    kvUse: () => tally?.use,
  };
}

/** What the layer's expressions can read. */
export function scopeOf({ play, prepared, outputs, errors }: LayerCall): ExpressionScope {
  return {
    layers: outputs,
    errors,
    args: play.args,
    blueprint: prepared.version.blueprintVars ?? {},
    play: playFacts(play, prepared),
    flow: flowFacts(prepared.version),
    company: { name: prepared.companyName },
    link: LINK_MARKS,
  };
}

/**
 * Put together for every call although most read nothing of it: an object with getters of its own takes more than these
 * values do.
 */
function playFacts(play: Play, prepared: PreparedVersion): PlayFacts {
  const { _id: id, idempotencyKey = null } = play;
  const { at, trigger = null } = chainOf(play);
  const scheduledFor = trigger === 'schedule' && idempotencyKey !== null ? slotIn(idempotencyKey) : null;
  const labels = toLabels(play.labels);
  const facts = { id, trigger, idempotencyKey, scheduledFor, acceptedAt: at.toISOString(), labels };
  const { approvals, events } = prepared;
  if (approvals.length === 0 && events.length === 0) return facts;
  return {
    ...facts,
    ...(approvals.length > 0 && { approvals: approvalsOf(play, prepared) }),
    ...(events.length > 0 && { events: callBacksOf(play, prepared) }),
  };
}

/** The slot at the end of the key that a schedule gives to its play: `schedule:<id>:<slot>`. */
function slotIn(key: string): string | null {
  const slot = /^schedule:[^:]+:(.+)$/.exec(key)?.[1];
  return slot === undefined || Number.isNaN(Date.parse(slot)) ? null : slot;
}

function flowFacts({ flowId, name, key = null, version }: FlowVersion): FlowFacts {
  return { id: flowId, name, key, version };
}

/** What later expressions read as the error of a layer; null for a layer that did not fail. */
export function errorOf({
  state,
  error,
  attempts,
}: Pick<LayerResult, 'state' | 'error' | 'attempts'>): LayerError | null {
  if (state !== 'FAIL' || !error) return null;
  const { code, message, statusCode = null, item = null } = error;
  return { code, message, attempts, statusCode, item };
}

/** Links are created when an expression reads one. */
function approvalsOf(play: Play, { approvals, playUrl }: PreparedVersion): ExpressionScope['play']['approvals'] {
  const linkOf = (ref: string, approver: string | null) =>
    playUrl({ companyId: play.company_id, playId: play._id, ref, approver });
  const links = approvals.map(({ ref, approvers }) => ({
    get url() {
      return linkOf(ref, null);
    },
    get for() {
      return Object.fromEntries(approvers.map((approver) => [approver, linkOf(ref, approver)]));
    },
  }));
  return Object.fromEntries(approvals.map(({ ref }, i) => [ref, links[i] as ApprovalLinksOf]));
}

/** The same of the addresses for call-backs. A retry has those of the play that was retried first: it makes the same calls. */
function callBacksOf(play: Play, { events, playUrl }: PreparedVersion): ExpressionScope['play']['events'] {
  const firstPlayId = chainOf(play).first;
  const links = events.map((ref) => ({
    get url() {
      return playUrl({ companyId: play.company_id, firstPlayId, ref });
    },
  }));
  return Object.fromEntries(events.map((ref, i) => [ref, links[i] as { readonly url: string }]));
}
