/** Counts layers of plays for a preview. */
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { TenantScope } from '@weft/store';
import { pagesOfMaybeAwaited } from './awaited-plays.js';

/** What is read of a play instead of its layers. */
export interface Results {
  readonly results: number;
}
export const RESULTS = { results: { $size: '$layers' } } as const;

export function layersOf(rows: readonly Results[]): number {
  return rows.reduce((sum, { results }) => sum + results, 0);
}

export async function countLayers(plays: mongo.Collection<Play>, filter: mongo.Filter<Play>): Promise<number> {
  const [row] = await plays
    .aggregate<{ readonly layers: number }>([
      { $match: filter },
      { $group: { _id: null, layers: { $sum: { $size: '$layers' } } } },
    ])
    .toArray();
  return row?.layers ?? 0;
}

/** Layers of the children and failed plays that match: of those that an open play may still need, and of the others. */
export async function countMaybeAwaited(
  plays: mongo.Collection<Play>,
  company: TenantScope,
  filter: mongo.Filter<Play>,
): Promise<{ readonly awaited: number; readonly free: number }> {
  let [all, free] = [0, 0];
  for await (const page of pagesOfMaybeAwaited<Results>(plays, company, filter, RESULTS)) {
    all += layersOf(page.found);
    free += layersOf(page.free);
  }
  return { awaited: all - free, free };
}
