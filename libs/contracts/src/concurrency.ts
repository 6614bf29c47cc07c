import type { FlowSettings } from '@weft/shapes';

/** How many plays of a flow run at once; with a key, how many of each text that it gives for the args of a run. */
export type Concurrency = NonNullable<FlowSettings['concurrency']>;

export function limitOf(concurrency: Concurrency | null): number | null {
  return typeof concurrency === 'object' ? (concurrency?.limit ?? null) : concurrency;
}

/** Null: the limit has no key, or there is no limit. */
export function limitKeyOf(concurrency: Concurrency | null): string | null {
  return typeof concurrency === 'object' ? (concurrency?.key ?? null) : null;
}
