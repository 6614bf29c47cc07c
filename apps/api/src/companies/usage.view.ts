import type { Tally, UsageTally } from '@weft/records';
import * as s from '../http/schema.js';

/** What a company did and used in a day, by UTC, or in all of them. */
export interface UsedView {
  readonly plays: number;
  readonly failed: number;
  readonly layers: number;
  readonly layer_seconds: number;
  readonly model_tokens: number;
  readonly model_dollars: number;
}

export interface UsageDayView extends UsedView {
  readonly day: string;
}

export interface UsageView {
  readonly company_id: string;
  readonly from: string;
  readonly to: string;
  readonly days: readonly UsageDayView[];
  readonly total: UsedView;
  readonly stored: StoredView | null;
  readonly stored_plays: StoredView | null;
}

/** What was measured last. */
export interface StoredView {
  readonly bytes: number;
  readonly at: string;
}

export function toStored(measured: { readonly bytes: number; readonly at: Date } | undefined): StoredView | null {
  return measured ? { bytes: measured.bytes, at: measured.at.toISOString() } : null;
}

export function toUsed(plays: Tally, used: UsageTally): UsedView {
  return {
    plays: plays.done + plays.failed + plays.cancelled,
    failed: plays.failed,
    layers: used.layers,
    layer_seconds: Math.round(used.layerMs / 1_000),
    model_tokens: used.tokens,
    model_dollars: used.dollars,
  };
}

const number = { type: 'number' } as const;
const measured = { bytes: s.integer, at: s.time };
const used = {
  plays: { ...s.integer, description: 'Plays that ended, without those that a condition skipped.' },
  failed: s.integer,
  layers: { ...s.integer, description: 'Layers that ended DONE or FAIL.' },
  layer_seconds: { ...s.integer, description: 'From the start of each to its end, waits included.' },
  model_tokens: s.integer,
  model_dollars: { ...number, description: 'As far as prices are known.' },
};

export const usageSchema = s.named(
  'CompanyUsage',
  s.object<UsageView>({
    company_id: s.text,
    from: s.time,
    to: s.time,
    days: s.listOf(s.object<UsageDayView>({ day: { ...s.text, description: 'Such as 2026-11-30.' }, ...used })),
    total: s.object<UsedView>(used),
    stored: {
      ...s.orNull(s.object<StoredView>(measured)),
      description:
        'Bytes of files and large values, as they were measured last: every hour, every minute where they are limited.',
    },
    stored_plays: {
      ...s.orNull(s.object<StoredView>(measured)),
      description: 'Bytes of plays, in the same way; of more than 100,000 plays about.',
    },
  }),
);
