import type { KvUse, LayerResult, LayerWait, Play } from '@weft/engine';
import type { ApprovalLinksOf, Scope } from '@weft/expressions';
import type { InlineRoom } from './inline-room.js';
import { KvTally } from './kv-source.js';
import type { PreparedLayer, PreparedVersion } from './prepared-version.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** One call of one layer, and everything that it may know. */
export interface LayerCall {
  readonly play: Play;
  readonly prepared: PreparedVersion;
  readonly position: number;
  /** Which call this is, from 1: failed ones before it that are known. */
  readonly attempt: number;
  /** What the layer said before that it waits for; null = it was not asked yet. */
  readonly wait: LayerWait | null;
  /** An answer that has arrived for it (`Play.inbox`). */
  readonly answer: { readonly payload: unknown } | null;
  /** Outputs of the layers before, by ref; large ones still as `Unloaded`. */
  readonly outputs: Map<string, unknown>;
  /** For outputs in the document of the play. */
  readonly inlineRoom: InlineRoom;
  readonly signal: AbortSignal;
  readonly by: string;
  /** Asked before each effect: the play is surely still this worker's (protocol rule 4). Default: it is. */
  readonly proven?: () => true | Promise<boolean>;
  /** Told at most once a second how far this call of the layer is; not of one that ends soon. */
  readonly progress?: (told: { position: number; attempt: number; percent: number; status: string }) => void;
}

/** An output of an earlier hand-out that lies in the payload store. */
export class Unloaded {
  constructor(readonly ref: NonNullable<LayerResult['outRef']>) {}
}

/** What a call amounts to once its layer is looked up. */
export interface LayerWork {
  readonly call: LayerCall;
  readonly layer: PreparedLayer;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** What the layer does with the key-value store: made when it first does. */
  readonly tally: () => KvTally;
  readonly kvUse: () => KvUse | undefined;
}

/** @throws RangeError when the version has no layer there */
export function workOf(call: LayerCall): LayerWork {
  const { prepared, position, play } = call;
  const layer = prepared.layers[position];
  if (!layer) throw new RangeError(`play ${play._id} has no layer at ${position}`);
  let tally: KvTally | undefined;
  return {
    call,
    layer,
    timeoutMs: layer.definition.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxOutputBytes: prepared.version.settings.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
    tally: () => (tally ??= new KvTally()),
    kvUse: () => tally?.use,
  };
}

/** What the layer's expressions can read. */
export function scopeOf({ play, prepared, outputs }: LayerCall): Scope {
  return {
    layers: outputs,
    args: play.args,
    blueprint: prepared.version.blueprintVars ?? {},
    play: prepared.approvals.length === 0 ? { id: play._id } : { id: play._id, approvals: approvalsOf(play, prepared) },
    flow: { name: prepared.version.name },
    company: { name: prepared.companyName },
  };
}

/** Links are made where an expression reads one. */
function approvalsOf(play: Play, { approvals, approvalUrl }: PreparedVersion): Scope['play']['approvals'] {
  const linkOf = (ref: string, approver: string | null) =>
    approvalUrl({ companyId: play.company_id, playId: play._id, ref, approver });
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
