/** Parts that the writes of a worker share: the fields of waits, and the fields that a write removes. */
import type { FinalState } from '@weft/contracts';
import { destinationTopic, eventTopic, limitTopic } from '../layer-outcome.js';
import { keepsKey, type PlayField, type PlayWrite } from '../play-write.js';
import { turnsAtEnd } from '../turns.js';
import type { WriteEvents } from './write-events.js';
import type { DoneItemsOf, Session, Tries, Waits } from './session.js';
import { endOfStage, hasEnded, position } from './stage.js';

export type WritePurpose = 'claim' | 'lazy' | 'boundary' | 'start' | 'final' | 'park' | 'held' | 'handBack';

export interface SessionWrite {
  readonly purpose: WritePurpose;
  readonly write: PlayWrite;
  /** Layers whose start is among the write's events, with its time. */
  readonly starts: readonly (readonly [number, Date])[];
  /** How many failed calls the write stores. */
  readonly failedCallCount: number;
  /** `waits` as they are stored after the write; `tries` likewise. */
  readonly waits: Waits;
  readonly tries: Tries;
  readonly doneItems: DoneItemsOf;
  /** What the session had of the layer whose items it stores: older than these, also where it is not stored. */
  readonly replaced?: DoneItemsOf[string] | undefined;
  /** It stores the end of this step. */
  readonly step?: StoredStep;
}

/** A step of a layer that is stored before the next one begins. */
export interface StoredStep {
  readonly position: number;
  /** The answer in the inbox of the layer was for it, or for a step before. */
  readonly takesAnswer: boolean;
}

/**
 * Layers that this write leaves waiting for plays. These may have ended before it was stored, when nobody could set the layers going:
 * whoever has made the write looks now.
 */
export function layersWaitingForPlays({ purpose, write, waits }: SessionWrite): readonly number[] {
  if (purpose !== 'park' && !write.set.waits) return [];
  return Object.values(waits).flatMap(({ kind, until, position: layer }) =>
    kind === 'children' && until === null ? [layer] : [],
  );
}

/** Whether this write begins to wait for an event, which may have come before it was stored: whoever has made the write looks now. */
export function beginsToAwaitEvents({ write, waits }: SessionWrite): boolean {
  return write.set.waitsFor !== undefined && Object.values(waits).some(({ event }) => event !== undefined);
}

const ALWAYS_UNSET_AT_END: readonly PlayField[] = ['owner', 'heartbeatAt', 'dueAt', 'strict', 'started'];
const NO_ANSWERS: readonly PlayField[] = [];
const NO_FIELDS: { readonly set: PlayWrite['set']; readonly unset: readonly PlayField[] } = { set: {}, unset: [] };

type WriteEffects = Omit<SessionWrite, 'write'>;

/** What a write that stores all changes of the session has stored. */
export function effectsOfFullWrite(
  { failedCalls, waits, tries, doneItems }: Session,
  purpose: WritePurpose,
  { starts }: Pick<WriteEvents, 'starts'>,
): WriteEffects {
  return { purpose, starts, failedCallCount: failedCalls.length, waits, tries, doneItems };
}

/** The same for a write that stores none of these changes. */
export function effectsOfEmptyWrite(
  { storedWaits: waits, storedTries: tries, storedDoneItems: doneItems }: Session,
  purpose: WritePurpose,
): WriteEffects {
  return { purpose, starts: [], failedCallCount: 0, waits, tries, doneItems };
}

/** `waits`, `waitsFor`, `tries` and `doneItems` as the write sets them; empty when they are stored like that already. */
export function waitFields(session: Session): typeof NO_FIELDS {
  const { waits, tries, doneItems, storedWaits, storedTries, storedDoneItems } = session;
  if (waits === storedWaits && tries === storedTries && doneItems === storedDoneItems) return NO_FIELDS;
  const topics = Object.values(waits).flatMap(({ kind, event, destination }) => {
    if (event) return [eventTopic(event.name, event.key)];
    if (!destination) return [];
    if (kind === 'rate_limit') return [limitTopic(destination)];
    return kind === 'destination_down' ? [destinationTopic(destination)] : [];
  });
  const [isWaiting, wasTried] = [Object.keys(waits).length > 0, Object.keys(tries).length > 0];
  return {
    set: {
      ...(isWaiting && { waits }),
      ...(topics.length > 0 && { waitsFor: topics }),
      ...(wasTried && { tries }),
      ...(doneItems !== storedDoneItems && { doneItems }),
    },
    unset: [
      ...(isWaiting ? [] : (['waits'] as const)),
      ...(topics.length > 0 ? [] : (['waitsFor'] as const)),
      ...(wasTried ? [] : (['tries'] as const)),
    ],
  };
}

/** What loops without a result have done, where that is not stored yet: a retry of the play goes on with it. */
export function doneItemsAtFailure(session: Session): PlayWrite['set'] {
  const { doneItems, storedDoneItems } = session;
  if (doneItems === storedDoneItems) return NO_FIELDS.set;
  return { doneItems: openDoneItems(session) };
}

/** A loop that has its result does not need them any more; what a layer did step by step stays, to be read and rehearsed. */
export function openDoneItems(session: Session): DoneItemsOf {
  const isKept = (layer: number) => session.plan[layer]?.keepsItems === true || !hasEnded(session, layer);
  return Object.fromEntries(Object.entries(session.doneItems).filter(([key]) => isKept(Number(key))));
}

export function endsFiltered({ onlyFiltered, unstoredResults, plan }: Session): boolean {
  return onlyFiltered && plan.length > 0 && unstoredResults.every((result) => result.state === 'FILTERED');
}

/** The inbox entries of layers whose results a write stores, and of a step that it stores. Answers for later layers stay. */
export function consumedAnswers({ inbox, unstoredResults }: Session, step?: StoredStep): readonly PlayField[] {
  const kept = Object.keys(inbox);
  if (kept.length === 0) return NO_ANSWERS;
  const stored = [...unstoredResults, ...(step?.takesAnswer ? [step] : [])];
  const taken = stored.flatMap(({ position }) => (Object.hasOwn(inbox, String(position)) ? [position] : []));
  return taken.length === kept.length ? ['inbox'] : taken.map((position) => `inbox.${position}` as const);
}

/** The turns that a play keeps after its end: that of a lane which stops at it. */
export function turnsKeptAtEnd({ turnHolder }: Session, state: FinalState): PlayWrite['set'] {
  return turnHolder ? turnsAtEnd(turnHolder, state).set : NO_FIELDS.set;
}

/** The fields that the last write of a play removes: only those that it may have, so that a plain play stays cheap. */
export function fieldsUnsetAtEnd(
  { storedWaits, storedTries, hasDeadline, turnHolder, inbox }: Session,
  state: FinalState,
): readonly PlayField[] {
  const unset: PlayField[] = [...ALWAYS_UNSET_AT_END];
  if (state !== 'DONE') unset.push('held');
  if (!keepsKey(state)) unset.push('key');
  if (Object.keys(storedWaits).length > 0) unset.push('waits', 'waitsFor');
  if (Object.keys(storedTries).length > 0) unset.push('tries');
  if (hasDeadline) unset.push('deadlineAt');
  if (turnHolder) unset.push(...turnsAtEnd(turnHolder, state).unset);
  if (Object.keys(inbox).length > 0) unset.push('inbox');
  return unset;
}

/**
 * The recorded start is removed after its stage has ended, or when this worker recorded it and none of its calls is running.
 * The start of another owner stays: its layer may have been called.
 */
export function obsoleteStart(session: Session): PlayField[] {
  const { startedStage, hasStartedStage } = session;
  const passed = startedStage !== null && position(session) >= endOfStage(session, startedStage);
  return startedStage !== null && (hasStartedStage || passed) ? ['started'] : [];
}
