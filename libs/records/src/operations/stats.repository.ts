import type { mongo } from 'mongoose';
import type { Mongo, SystemScope, TenantScope } from '@weft/store';
import type { StatsRow } from './stats-counters.js';
import { ALL_FLOWS, FLOW_STATS, SPANS, type StatsDocument, type Span } from './stats.schema.js';
import { sumOf, type Tally } from './tally.js';

/** A stretch of time in whole spans. */
export interface StatsPeriod {
  readonly span: Span;
  /** Beginning of the first span. */
  readonly from: Date;
}

/** The figures of plays by minute and hour. */
export class StatsRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Stores what a process counted; rows that were stored before are replaced. One round trip. */
  async store(_scope: SystemScope, rows: readonly StatsRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.stats().bulkWrite(
      rows.map(({ id, company_id, flowId, span, at, counter, tally }) => ({
        updateOne: {
          filter: { _id: id },
          update: {
            $set: { [`by.${counter}`]: tally },
            $setOnInsert: {
              ...{ company_id, flowId, span, at },
              expiresAt: new Date(at.getTime() + SPANS[span].ms + SPANS[span].keptMs),
            },
          },
          upsert: true,
        },
      })),
      // nobody waits for it, and what a failover takes back is set again with the next change
      { ordered: false, writeConcern: { w: 1, journal: false } },
    );
  }

  /** All flows of the company together, by the beginning of the span (epoch ms); spans without a play are left out. */
  async series(scope: TenantScope, window: StatsPeriod): Promise<Map<number, Tally>> {
    const found = await this.of(scope, [ALL_FLOWS], window).toArray();
    return new Map(found.map(({ at, by }) => [at.getTime(), sumOf(Object.values(by))]));
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
