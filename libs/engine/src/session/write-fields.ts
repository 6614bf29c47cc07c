/** What every write of a worker has besides its own: the fields of what waits, and which fields end with what. */
import { eventTopic } from '../layer-outcome.js';
import type { PlayField, PlayWrite } from '../play-write.js';
import type { Told } from './events.js';
import type { Session, Tries, Waits } from './session.js';
import { endOfStage, position } from './stage.js';

export type Purpose = 'claim' | 'lazy' | 'boundary' | 'start' | 'final' | 'park' | 'held' | 'handBack';

export interface SessionWrite {
  readonly purpose: Purpose;
  readonly write: PlayWrite;
  /** Layers whose start is in the write's events. */
  readonly begins: readonly (readonly [number, Date])[];
  /** How many failed calls it records. */
  readonly tried: number;
  /** What the store holds after it. */
  readonly waits: Waits;
  readonly tries: Tries;
}

const FINAL_UNSET: readonly PlayField[] = ['owner', 'beatAt', 'dueAt', 'strict', 'started'];
const NO_ANSWERS: readonly PlayField[] = [];
const NO_FIELDS: { readonly set: PlayWrite['set']; readonly unset: readonly PlayField[] } = { set: {}, unset: [] };

type Stored = Omit<SessionWrite, 'write'>;

/** A write that stores all there is. */
export function storing({ failed, waits, tries }: Session, purpose: Purpose, { begins }: Pick<Told, 'begins'>): Stored {
  return { purpose, begins, tried: failed.length, waits, tries };
}

/** A write that stores no news. */
export function unchanged({ storedWaits, storedTries }: Session, purpose: Purpose): Stored {
  return { purpose, begins: [], tried: 0, waits: storedWaits, tries: storedTries };
}

/** `waits`, `waitsFor` and `tries` as they are to be from this write on; nothing when they are stored like that. */
export function fieldsOfWaiting(session: Session): typeof NO_FIELDS {
  const { waits, tries, storedWaits, storedTries } = session;
  if (waits === storedWaits && tries === storedTries) return NO_FIELDS;
  const topics = Object.values(waits).flatMap(({ event }) => (event ? [eventTopic(event.name, event.key)] : []));
  const [isWaiting, wasTried] = [Object.keys(waits).length > 0, Object.keys(tries).length > 0];
  return {
    set: {
      ...(isWaiting && { waits }),
      ...(topics.length > 0 && { waitsFor: topics }),
      ...(wasTried && { tries }),
    },
    unset: [
      ...(isWaiting ? [] : (['waits'] as const)),
      ...(topics.length > 0 ? [] : (['waitsFor'] as const)),
      ...(wasTried ? [] : (['tries'] as const)),
    ],
  };
}

export function isFiltered({ onlyFiltered, results, plan }: Session): boolean {
  return onlyFiltered && plan.length > 0 && results.every((result) => result.state === 'FILTERED');
}

/** The answers of layers whose results a write stores; those of later layers stay. */
export function takenAnswers({ inbox, results }: Session): readonly PlayField[] {
  const kept = Object.keys(inbox);
  if (kept.length === 0) return NO_ANSWERS;
  const taken = results.flatMap(({ position }) => (Object.hasOwn(inbox, String(position)) ? [position] : []));
  return taken.length === kept.length ? ['inbox'] : taken.map((position) => `inbox.${position}` as const);
}

/** A plain play pays for none of the fields that it never had. */
export function finalUnset(
  { storedWaits, storedTries, hasDeadline, inbox }: Session,
  done: boolean,
): readonly PlayField[] {
  const unset: PlayField[] = done ? [...FINAL_UNSET] : [...FINAL_UNSET, 'key', 'held'];
  if (Object.keys(storedWaits).length > 0) unset.push('waits', 'waitsFor');
  if (Object.keys(storedTries).length > 0) unset.push('tries');
  if (hasDeadline) unset.push('deadlineAt');
  if (Object.keys(inbox).length > 0) unset.push('inbox');
  return unset;
}

/**
 * A recorded start is forgotten when its stage has ended, or when it is this worker's own, none of whose calls runs. Another
 * owner's start stays: its layer may have been called.
 */
export function forgottenStart(session: Session): PlayField[] {
  const { started, startedByMe } = session;
  const passed = started !== null && position(session) >= endOfStage(session, started);
  return started !== null && (startedByMe || passed) ? ['started'] : [];
}
