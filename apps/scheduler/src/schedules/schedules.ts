import { Inject, Injectable } from '@nestjs/common';
import { ScheduledRunAuthorizer, PlayAcceptance } from '@weft/runs';
import type { PlayState } from '@weft/contracts';
import { Metrics, rarely, LOG } from '@weft/observability';
import { Mongo, SystemScope } from '@weft/store';
import { ScheduleFiringRepository } from '@weft/records';
import { Pass } from '@weft/process';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { Jobs } from '../jobs/jobs.js';
import { ScheduleFirer } from './schedule-firer.js';

const PASS = 'schedules';
/** The job in the view: it shows that schedules are looked after. Each scheduler fires slots, every second. */
const JOB_EVERY_MS = 60_000;
/** Flows with a series of their own in the gauge. */
const MAX_FLOWS_SHOWN = 1_000;

/** Fires schedules. */
@Injectable()
export class Schedules {
  private readonly firer: ScheduleFirer;
  private readonly schedules: ScheduleFiringRepository;
  /** For each flow, the time of its next slot. */
  private soonest: ReadonlyMap<string, Date> = new Map();

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    acceptance: PlayAcceptance,
    authorizer: ScheduledRunAuthorizer,
    jobs: Jobs,
    glance: Glance,
  ) {
    this.schedules = new ScheduleFiringRepository(mongo, new SystemScope('schedules of all companies are fired'));
    const tell = rarely((fault, times) =>
      log.warn({ component: 'schedules', times, fault }, 'a schedule could not be fired; it is tried again'),
    );
    this.firer = new ScheduleFirer({
      schedules: this.schedules,
      ...{ acceptance, authorizer },
      onEnd: (flowId, state, durationMs) => this.count(flowId, state, durationMs),
      onFault: (schedule, cause) => tell({ schedule, cause }),
    });
    glance.wake([PASS], (now) => this.schedules.looks(now));
    metrics.beforeRead(() => this.showNext());
    jobs.add({ name: 'scheduler', everyMs: () => JOB_EVERY_MS, run: () => this.firer.pass().then(() => ({})) });
  }

  @Pass({ name: PASS, everyMs: 1_000, restMs: RESTS_FOR_MS })
  pass(): Promise<void> {
    return this.firer.pass();
  }

  private count(flowId: string, state: PlayState, durationMs: number | null): void {
    if (state === 'SKIP') return; // skipped by the flow's condition: it was not a run
    const seconds = durationMs === null ? null : durationMs / 1_000;
    this.metrics.scheduledRunEnded(flowId, state === 'FAIL' ? 'failure' : 'success', seconds);
  }

  /** For the gauges. */
  async lookAhead(): Promise<void> {
    const soonest = new Map<string, Date>();
    for (const { flow_id, nextSlot } of await this.schedules.soonest(MAX_FLOWS_SHOWN)) {
      if (nextSlot && !((soonest.get(flow_id) ?? nextSlot) < nextSlot)) soonest.set(flow_id, nextSlot);
    }
    this.soonest = soonest;
  }

  private showNext(): void {
    const now = this.mongo.serverNow();
    const until = [...this.soonest].map(
      ([flowId, slot]) => [flowId, Math.max(0, slot.getTime() - now) / 1_000] as const,
    );
    this.metrics.nextScheduledRuns(new Map(until));
  }
}
