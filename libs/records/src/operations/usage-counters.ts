import { USAGE_SPAN } from './stats.schema.js';

/** What the layers of a company used. */
export interface UsageTally {
  /** Layers that ended DONE or FAIL. */
  readonly layers: number;
  /** Milliseconds of all of them together, waits included. */
  readonly layerMs: number;
  /** Sent to and received from models. */
  readonly tokens: number;
  /** Cost of models, as far as their prices are known. */
  readonly dollars: number;
}

/** What one process counted of one company and day: all of it, not only what is new. */
export interface UsageRow {
  readonly id: string;
  readonly company_id: string;
  /** As of `StatsRow`. */
  readonly counter: string;
  readonly at: Date;
  readonly usage: UsageTally;
}

interface Kept {
  readonly row: Omit<UsageRow, 'usage'>;
  usage: UsageTally;
  changes: number;
  given: number;
  written: number;
}

const NONE: UsageTally = { layers: 0, layerMs: 0, tokens: 0, dollars: 0 };

export function sumOfUsage(tallies: Iterable<UsageTally>): UsageTally {
  let sum = NONE;
  for (const { layers, layerMs, tokens, dollars } of tallies)
    sum = {
      layers: sum.layers + layers,
      layerMs: sum.layerMs + layerMs,
      tokens: sum.tokens + tokens,
      dollars: sum.dollars + dollars,
    };
  return sum;
}

/** Counts in memory what companies use, by day. */
export class UsageCounters {
  private readonly kept = new Map<string, Kept>();
  private made = 0;

  /** @param process as of `StatsCounters` */
  constructor(private readonly process: string) {}

  /** @param nowMs epoch ms */
  add(companyId: string, used: Partial<UsageTally>, nowMs: number): void {
    const at = nowMs - (nowMs % USAGE_SPAN.ms);
    const id = [companyId, '', USAGE_SPAN.name, at].join('.');
    let kept = this.kept.get(id);
    if (!kept) {
      const row = { id, company_id: companyId, counter: `${this.process}_${(this.made += 1)}`, at: new Date(at) };
      kept = { row, usage: NONE, changes: 0, given: 0, written: 0 };
      this.kept.set(id, kept);
    }
    kept.usage = sumOfUsage([kept.usage, { ...NONE, ...used }]);
    kept.changes += 1;
  }

  /** Rows that are to be stored, at most `limit`. Of a day that is over, what is stored is let go of. */
  changed(limit: number, nowMs: number): UsageRow[] {
    const rows: UsageRow[] = [];
    for (const [id, kept] of this.kept) {
      const isOver = kept.row.at.getTime() + USAGE_SPAN.ms < nowMs;
      if (kept.changes === kept.written) {
        if (isOver) this.kept.delete(id);
      } else if (rows.length < limit) {
        rows.push({ ...kept.row, usage: kept.usage });
        kept.given = kept.changes;
      }
    }
    return rows;
  }

  /** These are stored, as the last `changed` gave them. */
  written(rows: readonly UsageRow[]): void {
    for (const { id } of rows) {
      const kept = this.kept.get(id);
      if (kept) kept.written = kept.given;
    }
  }
}
