import { Schema } from 'mongoose';
import type { LayerTally } from './layer-counters.js';
import type { Tally } from './tally.js';
import type { UsageTally } from './usage-counters.js';

export const FLOW_STATS = 'flow_figures';

export const SPANS = {
  minute: { ms: 60_000, keptMs: 3 * 3_600_000 },
  hour: { ms: 3_600_000, keptMs: 8 * 24 * 3_600_000 },
  /** Of all flows of the company together only. */
  day: { ms: 86_400_000, keptMs: 400 * 86_400_000 },
} as const;

export type Span = keyof typeof SPANS;

/** Hours of the layers of a flow, in documents of their own: figures of plays do not grow with the layers of their flow. */
export const LAYER_SPAN = { name: 'layers', ms: 3_600_000, keptMs: 25 * 3_600_000 } as const;

/** What a company used in a day. */
export const USAGE_SPAN = { name: 'usage', ms: SPANS.day.ms, keptMs: SPANS.day.keptMs } as const;

/** Stands for all flows of the company together. */
export const ALL_FLOWS = '';

/** What happened to the plays of a flow (or of all flows) of a company in one minute, hour or day. */
export interface StatsDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly flowId: string;
  readonly span: Span;
  /** Its beginning. */
  readonly at: Date;
  /**
   * By who counted: each process sets only what it counted itself, all of it each time, so that a write which is repeated
   * counts once.
   */
  readonly by: Readonly<Record<string, Tally>>;
  readonly expiresAt: Date;
}

/** What happened to the layers of a flow in one hour. */
export interface LayerStatsDocument extends Omit<StatsDocument, 'span' | 'by'> {
  readonly span: typeof LAYER_SPAN.name;
  readonly by: Readonly<Record<string, readonly LayerTally[]>>;
}

/** What the layers of a company used in one day. */
export interface UsageDocument extends Omit<StatsDocument, 'span' | 'by'> {
  readonly span: typeof USAGE_SPAN.name;
  readonly by: Readonly<Record<string, UsageTally>>;
}

export const statsSchema = new Schema<StatsDocument>(
  { _id: String },
  { collection: FLOW_STATS, strict: false, versionKey: false },
);

// the series of a company, and the figures of some of its flows
statsSchema.index({ company_id: 1, flowId: 1, span: 1, at: 1 });
statsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
