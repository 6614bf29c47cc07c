import type { mongo } from 'mongoose';
import type { Mongo, SystemScope, TenantScope } from '@weft/store';
import { layersOf, type LayerRow, type LayerTally } from './layer-counters.js';
import type { StatsRow } from './stats-counters.js';
import {
  ALL_FLOWS,
  FLOW_STATS,
  LAYER_SPAN,
  SPANS,
  USAGE_SPAN,
  type LayerStatsDocument,
  type StatsDocument,
  type Span,
  type UsageDocument,
} from './stats.schema.js';
import { sumOf, type Tally } from './tally.js';
import { sumOfUsage, type UsageRow, type UsageTally } from './usage-counters.js';

/** A stretch of time in whole spans. */
export interface StatsPeriod {
  readonly span: Span;
  /** Beginning of the first span. */
  readonly from: Date;
}

interface Upserted {
  readonly id: string;
  readonly company_id: string;
  readonly flowId: string;
  readonly span: string;
  readonly at: Date;
  readonly counter: string;
  readonly counted: Tally | readonly LayerTally[] | UsageTally;
  /** From its beginning. */
  readonly keptMs: number;
}

/** The figures of plays by minute and hour. */
export class StatsRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Stores what a process counted; rows that were stored before are replaced. One round trip. */
  async store(_scope: SystemScope, rows: readonly StatsRow[]): Promise<void> {
    await this.upsert(
      rows.map(({ tally, ...row }) => {
        const { ms, keptMs } = SPANS[row.span];
        return { ...row, counted: tally, keptMs: ms + keptMs };
      }),
    );
  }

  /** The same of layers. */
  async storeLayers(_scope: SystemScope, rows: readonly LayerRow[]): Promise<void> {
    const { name: span, ms, keptMs } = LAYER_SPAN;
    await this.upsert(rows.map(({ layers, ...row }) => ({ ...row, span, counted: layers, keptMs: ms + keptMs })));
  }

  /** The same of what companies used. */
  async storeUsage(_scope: SystemScope, rows: readonly UsageRow[]): Promise<void> {
    const { name: span, ms, keptMs } = USAGE_SPAN;
    const of = { flowId: ALL_FLOWS, span, keptMs: ms + keptMs };
    await this.upsert(rows.map(({ usage, ...row }) => ({ ...row, ...of, counted: usage })));
  }

  /** Days of the company between two times, by their beginning (epoch ms): plays, and what their layers used. */
  async days(
    scope: TenantScope,
    from: Date,
    to: Date,
  ): Promise<Map<number, { readonly plays: Tally; readonly used: UsageTally }>> {
    const days = new Map<number, { plays: Tally; used: UsageTally }>();
    const found = this.mongo.collection<StatsDocument | UsageDocument>(FLOW_STATS).find(
      {
        company_id: scope.companyId,
        flowId: ALL_FLOWS,
        span: { $in: ['day', USAGE_SPAN.name] },
        at: { $gte: from, $lt: to },
      },
      { projection: { span: 1, at: 1, by: 1 }, readConcern: { level: 'local' } },
    );
    for await (const document of found) {
      const at = document.at.getTime();
      const day = days.get(at) ?? { plays: sumOf([]), used: sumOfUsage([]) };
      if (document.span === USAGE_SPAN.name) day.used = sumOfUsage(Object.values(document.by));
      else day.plays = sumOf(Object.values(document.by));
      days.set(at, day);
    }
    return days;
  }

  private async upsert(rows: readonly Upserted[]): Promise<void> {
    if (rows.length === 0) return;
    await this.mongo.collection<Pick<StatsDocument, '_id'>>(FLOW_STATS).bulkWrite(
      rows.map(({ id, company_id, flowId, span, at, counter, counted, keptMs }) => ({
        updateOne: {
          filter: { _id: id },
          update: {
            $set: { [`by.${counter}`]: counted },
            $setOnInsert: { company_id, flowId, span, at, expiresAt: new Date(at.getTime() + keptMs) },
          },
          upsert: true,
        },
      })),
      // nobody waits for it, and what a failover takes back is set again with the next change
      { ordered: false, writeConcern: { w: 1, journal: false } },
    );
  }

  /** All flows of the company together, by the beginning of the span (epoch ms); spans without a play are left out. */
  series(scope: TenantScope, window: StatsPeriod): Promise<Map<number, Tally>> {
    return this.seriesOf(scope, ALL_FLOWS, window);
  }

  /** One flow, by the beginning of the span (epoch ms); spans without a play are left out. */
  async seriesOf(scope: TenantScope, flowId: string, window: StatsPeriod): Promise<Map<number, Tally>> {
    const found = await this.of(scope, [flowId], window).toArray();
    return new Map(found.map(({ at, by }) => [at.getTime(), sumOf(Object.values(by))]));
  }

  /** Layers of a flow by ref, from the beginning of an hour on; those that did not end are left out. */
  async byLayer(scope: TenantScope, flowId: string, from: Date): Promise<Map<string, LayerTally>> {
    const found = this.mongo.collection<LayerStatsDocument>(FLOW_STATS).find(
      { company_id: scope.companyId, flowId, span: LAYER_SPAN.name, at: { $gte: from } },
      // one document at a time: that of a large flow on many workers has megabytes
      { projection: { by: 1 }, batchSize: 1, readConcern: { level: 'local' } },
    );
    let sums = new Map<string, LayerTally>();
    for await (const { by } of found) sums = layersOf([...sums.values(), ...Object.values(by).flat()]);
    return sums;
  }

  /** By flow, over the whole window; flows without a play are left out. */
  async byFlow(scope: TenantScope, flowIds: readonly string[], window: StatsPeriod): Promise<Map<string, Tally>> {
    const counted = new Map<string, Tally[]>();
    for await (const { flowId, by } of this.of(scope, flowIds, window)) {
      const tallies = counted.get(flowId) ?? [];
      tallies.push(...Object.values(by));
      counted.set(flowId, tallies);
    }
    return new Map([...counted].map(([flowId, tallies]) => [flowId, sumOf(tallies)]));
  }

  private of(scope: TenantScope, flowIds: readonly string[], { span, from }: StatsPeriod) {
    return this.stats().find(
      { company_id: scope.companyId, flowId: { $in: [...flowIds] }, span, at: { $gte: from } },
      { projection: { flowId: 1, at: 1, by: 1 }, batchSize: 1_000, readConcern: { level: 'local' } },
    );
  }

  private stats(): mongo.Collection<StatsDocument> {
    return this.mongo.collection<StatsDocument>(FLOW_STATS);
  }
}
