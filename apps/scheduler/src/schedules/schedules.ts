import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduledRunAuthorizer, PlayAcceptance } from '@weft/runs';
import type { PlayState } from '@weft/contracts';
import type { Drainable } from '@weft/kernel';
import { Metrics, rarely, warnRarely, LOG } from '@weft/observability';
import { Mongo, ScheduleFiringRepository, SystemScope } from '@weft/persistence';
import type { Logger } from 'pino';
import { Jobs } from '../jobs/jobs.js';
import { PassLoop } from '../pass-loop.js';
import { ScheduleFirer } from './schedule-firer.js';

const PASS_EVERY_MS = 1_000;
const LOOK_AHEAD_EVERY_MS = 5_000;
/** The job in the view: it shows that schedules are looked after. Each scheduler fires slots, every second. */
const JOB_EVERY_MS = 60_000;
/** Flows with a series of their own in the gauge. */
const MAX_FLOWS_SHOWN = 1_000;

/** Fires schedules for as long as the process lives. */
@Injectable()
export class Schedules implements OnApplicationBootstrap, Drainable {
  private readonly firer: ScheduleFirer;
  private readonly schedules: ScheduleFiringRepository;
  private readonly loops: readonly PassLoop[];
  /** For each flow, the time of its next slot. */
  private soonest: ReadonlyMap<string, Date> = new Map();

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    acceptance: PlayAcceptance,
    authorizer: ScheduledRunAuthorizer,
    jobs: Jobs,
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
    const onFault = warnRarely(log, 'schedules', 'a pass failed; the next one goes on');
    this.loops = [
      new PassLoop('schedules', PASS_EVERY_MS, () => this.firer.pass(), onFault),
      new PassLoop('next slots', LOOK_AHEAD_EVERY_MS, () => this.lookAhead(), onFault),
    ];
    metrics.beforeRead(() => this.showNext());
    jobs.add({ name: 'scheduler', everyMs: () => JOB_EVERY_MS, run: () => this.firer.pass().then(() => ({})) });
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  async drain(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private count(flowId: string, state: PlayState, durationMs: number | null): void {
    if (state === 'SKIP') return; // skipped by the flow's condition: it was not a run
    const seconds = durationMs === null ? null : durationMs / 1_000;
    this.metrics.scheduledRunEnded(flowId, state === 'FAIL' ? 'failure' : 'success', seconds);
  }

  private async lookAhead(): Promise<void> {
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
