/**
 * The row of a play: what lists and the company stream show of it. All of it follows from the stored play, also the rows
 * that the play had after its earlier changes.
 */
import { isFinal, type PlayRow, type PlayState } from '@weft/contracts';
import { isParked } from './inbox.js';
import { startedAtOf } from './journal.js';
import { toLabels } from './labels.js';
import type { Play } from './play.js';

/** The fields that a row shows besides those that decide who sees it, and the state and its times. */
export const ROW_FIELDS = [
  ...(['version', 'idempotencyKey', 'trigger', 'triggeredBy', 'priority', 'createdAt'] as const),
  ...(['dueAt', 'error', 'retryOf', 'parentPlayId', 'labels'] as const),
] as const;

export type RowFields = Pick<Play, (typeof ROW_FIELDS)[number]> & {
  /** Among what it waits for is the pause before a failed layer's next attempt: `waits` in a word. */
  readonly awaitsRetry?: boolean;
};

/** What a row is made of; of the log only the first move to RUN. */
export type RowSource = RowFields &
  Pick<Play, '_id' | 'company_id' | 'flowId' | 'state' | 'completedAt' | 'log' | 'waits'>;

/** The fields that are set, in one order whatever the order of their source. */
export function rowFieldsOf(play: RowFields & Pick<Play, 'waits'>): RowFields {
  const set = ROW_FIELDS.flatMap((field) => (play[field] === undefined ? [] : [[field, play[field]] as const]));
  return { ...(Object.fromEntries(set) as unknown as RowFields), ...(awaitsRetry(play) && { awaitsRetry: true }) };
}

/** Whoever read the play has asked, or has read what it waits for. */
function awaitsRetry({ awaitsRetry: answer, waits = {} }: RowFields & Pick<Play, 'waits'>): boolean {
  return answer ?? Object.values(waits).some(({ kind }) => kind === 'retry');
}

export function playRow(play: RowSource): PlayRow {
  const startedAt = startedAtOf(play);
  return {
    id: play._id,
    flowId: play.flowId,
    state: play.state,
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: play.completedAt?.toISOString() ?? null,
    duration: startedAt && play.completedAt ? play.completedAt.getTime() - startedAt.getTime() : null,
    company_id: play.company_id,
    version: play.version,
    idempotencyKey: play.idempotencyKey ?? null,
    trigger: play.trigger,
    triggeredBy: play.triggeredBy,
    priority: play.priority,
    dueAt: play.dueAt?.toISOString() ?? null,
    createdAt: play.createdAt.toISOString(),
    error: play.error ?? null,
    retryOf: play.retryOf ?? null,
    parentPlayId: play.parentPlayId ?? null,
    labels: toLabels(play.labels),
    retrying: isParked(play.state) && awaitsRetry(play),
  };
}

/**
 * The row as it was after the log entry that changed the state. What the play waits for, and until when, is stored only once:
 * rows of states that the play has left have none.
 *
 * @param play with its whole log
 */
export function playRowAt(play: RowSource, logSeq: number, state: PlayState): PlayRow {
  const hasLeft = play.log.some((entry) => entry.type === 'state' && entry.seq > logSeq);
  return playRow({
    ...play,
    state,
    log: play.log.filter((entry) => entry.seq <= logSeq),
    ...(hasLeft && { dueAt: undefined, awaitsRetry: false }),
    ...(!isFinal(state) && { completedAt: undefined, error: undefined }),
  });
}
