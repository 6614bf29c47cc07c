/** Counts layers of plays for a preview. */
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { TenantScope } from '@weft/store';
import { pagesOfMaybeAwaited } from './awaited-plays.js';
import type { Counted } from './preview-count.js';
import { MOST_PREVIEWED, PREVIEW_WITHIN_MS } from './sweep.js';

/** What is read of a play instead of its layers. */
export interface Results {
  readonly results: number;
}
export const RESULTS = { results: { $size: '$layers' } } as const;

export function layersOf(rows: readonly Results[]): number {
  return rows.reduce((sum, { results }) => sum + results, 0);
}

export async function countLayers(plays: mongo.Collection<Play>, filter: mongo.Filter<Play>): Promise<Counted> {
  const [row] = await plays
    .aggregate<{ readonly layers: number; readonly plays: number }>(
      [
        { $match: filter },
        { $limit: MOST_PREVIEWED },
        { $group: { _id: null, layers: { $sum: { $size: '$layers' } }, plays: { $sum: 1 } } },
      ],
      { maxTimeMS: PREVIEW_WITHIN_MS },
    )
    .toArray();
  return { count: row?.layers ?? 0, isCapped: (row?.plays ?? 0) >= MOST_PREVIEWED };
}

/** Layers of the children and failed plays that match: of those that an open play may still need, and of the others. */
export async function countMaybeAwaited(
  plays: mongo.Collection<Play>,
  company: TenantScope,
  filter: mongo.Filter<Play>,
): Promise<{ readonly awaited: Counted; readonly free: Counted }> {
  let [all, free, read] = [0, 0, 0];
  for await (const page of pagesOfMaybeAwaited<Results>(plays, company, filter, RESULTS)) {
    all += layersOf(page.found);
    free += layersOf(page.free);
    read += page.found.length;
  }
  const isCapped = read >= MOST_PREVIEWED;
  return { awaited: { count: all - free, isCapped }, free: { count: free, isCapped } };
}
