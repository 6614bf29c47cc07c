import { ALL_FLOWS, SPANS, type Span } from './stats.schema.js';
import { Counting, type CountedEnd, type Tally } from './tally.js';

/** Whose plays are counted: a play says it itself. */
export interface CountedFlow {
  readonly company_id: string;
  readonly flowId: string;
}

/** What one process counted of one flow and span: all of it, not only what is new. */
export interface StatsRow extends CountedFlow {
  readonly id: string;
  /** Names the counter; no two rows that were ever made have the same id and counter. */
  readonly counter: string;
  readonly span: Span;
  readonly at: Date;
  readonly tally: Tally;
}

interface Kept {
  readonly row: Omit<StatsRow, 'tally'>;
  readonly tally: Counting;
  changes: number;
  written: number;
}

type Minute = Map<string, { readonly flow: CountedFlow; readonly tally: Counting }>;

/**
 * Counts in memory what plays do, by flow and minute: one look-up and a few additions a play. What is to be stored follows
 * from it once for many plays: `changed`, then `written` when it is.
 */
export class StatsCounters {
  private minuteMs = 0;
  private current: Minute = new Map();
  private readonly past: { readonly minuteMs: number; readonly flows: Minute }[] = [];
  private readonly kept = new Map<string, Kept>();
  private made = 0;

  /**
   * @param process names this process among all that count, now and earlier; a field name of MongoDB
   * @param mostRows how many it keeps that cannot be stored, some kilobytes each: of more, the oldest minutes of single flows
   * are given up. Their hours, and the minutes of their company, are kept
   */
  constructor(
    private readonly process: string,
    private readonly mostRows = 50_000,
  ) {}

  /** @param nowMs epoch ms */
  started(flow: CountedFlow, nowMs: number): void {
    this.tallyOf(flow, nowMs).started += 1;
  }

  /** @param durationMs from its start; null when it never had one */
  ended(flow: CountedFlow, end: CountedEnd, durationMs: number | null, nowMs: number): void {
    this.tallyOf(flow, nowMs).end(end, durationMs, nowMs);
  }

  /** Rows that are to be stored, at most `limit`. Those that it keeps back come with the next call. */
  changed(limit: number, nowMs: number): StatsRow[] {
    this.foldAll();
    this.giveUp(nowMs);
    const rows: StatsRow[] = [];
    for (const [key, { row, tally, changes, written }] of this.kept) {
      if (changes > written) {
        if (rows.length < limit) rows.push({ ...row, tally: tally.copy() });
      } else if (row.at.getTime() + 2 * SPANS[row.span].ms < nowMs) {
        this.kept.delete(key);
      }
    }
    return rows;
  }

  /** What could not be stored for so long that nobody would read it, and what there is no room for, oldest first. */
  private giveUp(nowMs: number): void {
    for (const [key, { row }] of this.kept) {
      const { ms, keptMs } = SPANS[row.span];
      const isExpired = row.at.getTime() + ms + keptMs < nowMs;
      const isDetail = row.span === 'minute' && row.flowId !== ALL_FLOWS;
      if (isExpired || (isDetail && this.kept.size > this.mostRows)) this.kept.delete(key);
    }
  }

  /** These are stored, as `changed` gave them; nothing was counted into them since. */
  written(rows: readonly StatsRow[]): void {
    for (const { id } of rows) {
      const kept = this.kept.get(id);
      if (kept) kept.written = kept.changes;
    }
  }

  private tallyOf(flow: CountedFlow, nowMs: number): Counting {
    const minuteMs = nowMs - (nowMs % SPANS.minute.ms);
    if (minuteMs !== this.minuteMs) this.turn(minuteMs);
    let counted = this.current.get(flow.flowId);
    if (!counted) {
      counted = { flow: { company_id: flow.company_id, flowId: flow.flowId }, tally: new Counting() };
      this.current.set(flow.flowId, counted);
    }
    return counted.tally;
  }

  private turn(minuteMs: number): void {
    if (this.current.size > 0) this.past.push({ minuteMs: this.minuteMs, flows: this.current });
    this.current = new Map();
    this.minuteMs = minuteMs;
  }

  private foldAll(): void {
    this.turn(this.minuteMs);
    for (const { minuteMs, flows } of this.past.splice(0)) {
      for (const { flow, tally } of flows.values()) {
        for (const span of ['minute', 'hour'] as const) {
          this.fold(flow, span, minuteMs, tally);
          this.fold({ ...flow, flowId: ALL_FLOWS }, span, minuteMs, tally);
        }
        this.fold({ ...flow, flowId: ALL_FLOWS }, 'day', minuteMs, tally);
      }
    }
  }

  private fold(flow: CountedFlow, span: Span, minuteMs: number, tally: Tally): void {
    const at = new Date(minuteMs - (minuteMs % SPANS[span].ms));
    const id = [flow.company_id, flow.flowId, span, at.getTime()].join('.');
    let kept = this.kept.get(id);
    if (!kept) {
      const row = { ...flow, id, counter: `${this.process}_${(this.made += 1)}`, span, at };
      kept = { row, tally: new Counting(), changes: 0, written: 0 };
      this.kept.set(id, kept);
    }
    kept.tally.add(tally);
    kept.changes += 1;
  }
}
