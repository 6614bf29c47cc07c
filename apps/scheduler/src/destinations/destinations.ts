import { Inject, Injectable } from '@nestjs/common';
import { destinationTopic } from '@weft/engine';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { Mongo, MongoPlayStore, SystemScope, TenantScope, WaitingPlaysRepository } from '@weft/store';
import { DestinationWalkRepository, type DestinationDocument } from '@weft/records';
import { Pass } from '@weft/process';
import { Doorbell, WindowRoom } from '@weft/queue';
import { PlayCommands } from '@weft/runs';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { inParallel } from '../in-parallel.js';
import { isSwept, nextStep } from './next-step.js';
import { releasePlays, type ReleaseDeps } from './release-plays.js';

const PASS = 'destinations';
const PER_PASS = 200;
const AT_ONCE = 8;

/**
 * Looks after destinations that are down or come back: lets one of the plays that wait try, then releases them in waves. Any
 * number of schedulers do so; each step is taken by one of them.
 */
@Injectable()
export class Destinations {
  private readonly walk: DestinationWalkRepository;
  private readonly release: ReleaseDeps;
  private readonly onFault: (error: unknown) => void;

  constructor(
    @Inject(LOG) log: Logger,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    private readonly waiting: WaitingPlaysRepository,
    store: MongoPlayStore,
    commands: PlayCommands,
    places: WindowRoom,
    doorbell: Doorbell,
    glance: Glance,
  ) {
    this.walk = new DestinationWalkRepository(mongo, new SystemScope('destinations of all companies are looked after'));
    glance.wake([PASS], (now) => [this.walk.look(now)]);
    this.release = { mongo, waiting, store, commands, places, doorbell };
    this.onFault = warnRarely(log, 'destinations', 'could not look after a destination; it is looked at again');
  }

  @Pass({ name: PASS, everyMs: 500, restMs: RESTS_FOR_MS })
  async pass(): Promise<void> {
    const due = await this.walk.due(new Date(this.mongo.serverNow()), PER_PASS);
    await inParallel(due, AT_ONCE, (found) => this.lookAfter(found).catch(this.onFault));
  }

  private async lookAfter(found: DestinationDocument): Promise<void> {
    const { company_id, address, state } = found;
    const now = new Date(this.mongo.serverNow());
    const scope = new TenantScope(company_id);
    const isParkable = state === 'down' || state === 'recovering';
    const isAnyParked = isParkable && (await this.waiting.isAnyParked(scope, destinationTopic(address), now));
    const step = nextStep(found, isAnyParked, now);
    if (step === 'forget') return void (await this.walk.forget(found));
    // another scheduler that looks at the same time does not release the same plays
    if (!(await this.walk.take(found, step.set))) return;
    if (step.set.state === 'up') this.metrics.destinationMoved('up');
    if (step.release === 0) return;
    const { count, to } = await releasePlays(this.release, found, step.release, step.withLimit);
    this.metrics.destinationPlaysReleased(count);
    const over = state === 'up' && isSwept(found, to === '', now);
    await this.walk.released(found, to, over);
  }

  /** For the gauges. */
  async count(): Promise<void> {
    const [down, recovering] = await Promise.all([this.walk.count('down'), this.walk.count('recovering')]);
    this.metrics.destinations({ down, recovering });
  }
}
