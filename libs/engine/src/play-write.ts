import type { FinalState, PlayError, PlayState } from '@weft/contracts';
import { numberEvents } from './play-log.js';
import type { LayerResult, LogEntry, Play } from './play.js';
import { turnsAtEnd } from './turns.js';

/**
 * One write on one play document: all of it or nothing, and only if `match` holds. The store's adapter translates it; the
 * in-memory implementation applies it with `applyWrite`. Every `match` names the states it accepts, and none accepts a final one.
 */
export interface PlayWrite {
  readonly match: {
    readonly epoch: number;
    /** Absent only where the protocol says so: reaping an expired owner. */
    readonly seq?: number;
    readonly states: readonly PlayState[];
    /** A string: exactly this owner. `null`: no owner. Absent: any owner. */
    readonly owner?: string | null;
    /** Exactly this heartbeat, so that a renewal in between protects the owner. */
    readonly heartbeatAt?: Date;
    /** Up to this time, by the store's clock. */
    readonly until?: Date;
  };
  readonly set: Readonly<Partial<Omit<Play, '_id' | 'layers' | 'log' | 'inbox'>>>;
  /** One entry of the inbox. */
  readonly inbox?: { readonly position: number; readonly payload: unknown };
  /** When one wait ends; the others stay as they are. */
  readonly waitEnd?: { readonly position: number; readonly until: Date };
  readonly unset: readonly PlayField[];
  /** Set to the server's clock by the store. */
  readonly touch: readonly ('heartbeatAt' | 'completedAt' | 'heldAt')[];
  readonly layers: readonly LayerResult[];
  readonly log: readonly LogEntry[];
  /** The outputs of all stored results become null, so that the document has room for this write. */
  readonly erasesOutputs?: true;
}

/** Fields that only open plays have. */
export const OPEN_FIELDS = [
  ...(['owner', 'heartbeatAt', 'dueAt', 'held', 'strict', 'started'] as const),
  ...(['waits', 'waitsFor', 'tries', 'deadlineAt', 'queues', 'ready', 'inbox', 'notBegun', 'notAfter'] as const),
] as const;
/** `inbox.<position>`: one answer of the inbox. */
export type PlayField = (typeof OPEN_FIELDS)[number] | 'key' | 'turns' | `inbox.${number}`;

/**
 * Whether a play that ends so keeps its idempotency key: a later run with the key is answered with one that is DONE, and goes on
 * with one that failed, which gives the key to it.
 */
export function keepsKey(state: FinalState): boolean {
  return state === 'DONE' || state === 'FAIL';
}

/** Ends a play whose document has no room for the write: its outputs are erased, so it cannot be retried. */
export function withoutOutputs(end: PlayWrite, at: Date): PlayWrite {
  return { ...end, set: { ...end.set, layersErasedAt: at }, erasesOutputs: true };
}

/** What the store does with a write, as a pure function: the new play, or null when `match` does not hold. */
export function applyWrite(play: Play, write: PlayWrite, serverNow: Date): Play | null {
  const { match } = write;
  if (play.epoch !== match.epoch) return null;
  if (match.seq !== undefined && play.seq !== match.seq) return null;
  if (!match.states.includes(play.state)) return null;
  if (match.owner !== undefined && (play.owner ?? null) !== match.owner) return null;
  if (match.heartbeatAt !== undefined && play.heartbeatAt?.getTime() !== match.heartbeatAt.getTime()) return null;
  if (match.until !== undefined && serverNow > match.until) return null;
  const next: Record<string, unknown> = { ...play, ...write.set };
  for (const field of write.unset) unset(next, field);
  for (const field of write.touch) next[field] = serverNow;
  if (write.inbox) next.inbox = { ...play.inbox, [write.inbox.position]: write.inbox.payload };
  if (write.waitEnd) next.waits = withEnd(play.waits, write.waitEnd);
  const stored = write.erasesOutputs ? play.layers.map((result) => ({ ...result, out: null })) : play.layers;
  next.layers = [...stored, ...write.layers];
  next.log = [...play.log, ...write.log];
  return next as unknown as Play;
}

function unset(play: Record<string, unknown>, field: PlayField): void {
  const [name = '', position] = field.split('.');
  if (position === undefined) Reflect.deleteProperty(play, name);
  else if (play.inbox) play.inbox = without(play.inbox as NonNullable<Play['inbox']>, position);
}

function withEnd(
  waits: NonNullable<Play['waits']> = {},
  { position, until }: NonNullable<PlayWrite['waitEnd']>,
): Play['waits'] {
  const wait = waits[position];
  return wait ? { ...waits, [position]: { ...wait, until } } : waits;
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

/**
 * The end from outside, whatever the play is doing: cancelled, or out of time (FAIL), or not begun in time (SKIP). The worker that runs it is fenced. Answers that
 * no layer will read are removed: they may be most of the document, which must not grow past its limit.
 */
export function endWrite(
  play: Pick<Play, 'state' | 'epoch' | 'seq' | 'turns' | 'lane' | 'laneStops'>,
  error: PlayError,
  at: Date,
  state: 'FAIL' | 'SKIP' = 'FAIL',
): PlayWrite {
  const log = numberEvents(play.seq, [
    { type: 'state', from: play.state, state, at },
    { type: 'end', state, at },
  ]);
  const turns = turnsAtEnd(play, state);
  return {
    match: { epoch: play.epoch, seq: play.seq, states: [play.state] },
    set: { state, error, epoch: play.epoch + 1, seq: play.seq + log.length, ...turns.set },
    unset: [...OPEN_FIELDS, ...(keepsKey(state) ? [] : (['key'] as const)), ...turns.unset],
    touch: ['completedAt'],
    layers: [],
    log,
  };
}
