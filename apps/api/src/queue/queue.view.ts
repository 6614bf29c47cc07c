import {
  flag,
  integer,
  integerOrNull,
  listOf,
  named,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schema.js';

/** Waiting plays of one company are counted up to this: it floods in any case. */
export const MOST_COUNTED = 10_000;

export interface ShardView {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly oldest_ms: number | null;
}

export interface WorkerView {
  readonly id: string;
  readonly label: string | null;
  readonly version: string | null;
  readonly started_at: string | null;
  readonly running: number;
  readonly seen_at: string;
}

export interface CompanyWaitView {
  readonly company_id: string;
  readonly name: string;
  readonly waiting: number;
  readonly capped: boolean;
}

export interface QueueView {
  readonly shards: readonly ShardView[];
  readonly workers: readonly WorkerView[];
  readonly backlog: number;
  /** Of operators alone; empty for others. */
  readonly companies: readonly CompanyWaitView[];
}

const shardSchema = object<ShardView>({
  name: text,
  waiting: { ...integer, description: 'Rung, and with no worker yet.' },
  active: { ...integer, description: 'With a worker.' },
  oldest_ms: { ...integerOrNull, description: 'How long the one that waits longest does; null when none waits.' },
});

const workerSchema = object<WorkerView>({
  id: { ...text, description: 'New at each start.' },
  label: {
    ...textOrNull,
    description: 'It executes the plays of companies with this label; null: of those without one.',
  },
  version: { ...textOrNull, description: 'Null of a worker that is older than this figure.' },
  started_at: timeOrNull,
  running: { ...integer, description: 'Plays that it executes.' },
  seen_at: { ...time, description: 'Its last sign of life; every 5 s. One that gives none for 20 s is left out.' },
});

const companySchema = object<CompanyWaitView>({
  company_id: text,
  name: text,
  waiting: {
    ...integer,
    description: `Plays that wait for room in the window of the company, counted up to ${MOST_COUNTED.toLocaleString('en-US')}.`,
  },
  capped: { ...flag, description: 'More wait than were counted.' },
});

export const queueSchema = named(
  'Queue',
  object<QueueView>({
    shards: listOf(shardSchema),
    workers: listOf(workerSchema),
    backlog: { ...integer, description: 'Plays that could run and do not yet.' },
    companies: {
      ...listOf(companySchema),
      description: 'For operators: the ten companies with the most plays that wait, the first with the most.',
    },
  }),
);
