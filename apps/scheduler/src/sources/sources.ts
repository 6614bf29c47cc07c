import { Inject, Injectable } from '@nestjs/common';
import { NEW_ID, type Drainable, type NewId } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { Pass, within } from '@weft/process';
import { LeasesRepository, SourceTriggersRepository } from '@weft/records';
import { DeliveryLog, PlayAcceptance, ScheduledRunAuthorizer } from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { Mongo, SystemScope } from '@weft/store';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { SharedLeases } from '../shared-leases.js';
import { MessagePlays } from './message-plays.js';
import { SourceKinds } from './source-kinds.js';
import { SourceReader, type SourceReaderDeps } from './source-reader.js';

const PASS = 'sources';
/** In one process: each may hold some megabytes. The rest waits for another scheduler. */
const MOST_SOURCES = 200;
const DRAIN_MS = 10_000;
const ALL = new SystemScope('triggers of all companies read, each under the scope of its own');

interface Reading {
  readonly reader: SourceReader;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Reads the sources of triggers for as long as the process lives: ADR 131. Replicas share the triggers by leases. */
@Injectable()
export class Sources implements Drainable {
  private readonly leases: SharedLeases;
  private readonly deps: SourceReaderDeps;
  private readonly readings = new Map<string, Reading>();

  constructor(
    @Inject(LOG) log: Logger,
    @Inject(NEW_ID) private readonly newId: NewId,
    mongo: Mongo,
    metrics: Metrics,
    kinds: SourceKinds,
    acceptance: PlayAcceptance,
    authorizer: ScheduledRunAuthorizer,
    deliveries: DeliveryLog,
    sandbox: Sandbox,
    glance: Glance,
  ) {
    const triggers = new SourceTriggersRepository(mongo);
    const ids = (after: string, limit: number) => triggers.enabled(ALL, after, limit);
    this.leases = new SharedLeases({ name: 'source', ids, most: MOST_SOURCES }, new LeasesRepository(mongo), newId());
    const serverNow = () => mongo.serverNow();
    const plays = new MessagePlays({
      ...{ acceptance, log: deliveries, computing: { sandbox, now: serverNow } },
      onOutcome: (outcome) => metrics.triggerDelivery(outcome),
    });
    this.deps = {
      ...{ triggers, authorizer, plays, serverNow },
      kindOf: (type) => kinds.of(type),
      onFault: warnRarely(log, 'sources', 'a source was not read; it is tried again'),
    };
    metrics.beforeRead(() => this.show(metrics));
    glance.wake([PASS], () => [triggers.look(ALL)]);
  }

  @Pass({ name: PASS, everyMs: 2_000, restMs: RESTS_FOR_MS })
  async pass(): Promise<void> {
    await this.leases.pass();
    const owned = new Set(this.leases.owned);
    for (const [id, { stop }] of this.readings) if (!owned.has(id)) stop.abort();
    for (const id of owned) if (!this.readings.has(id)) this.begin(id);
  }

  async drain(deadlineMs: number): Promise<void> {
    const readings = [...this.readings.values()];
    for (const { stop } of readings) stop.abort();
    await within(Promise.all(readings.map(({ ended }) => ended)), Math.min(deadlineMs, DRAIN_MS));
    await this.leases.giveBack().catch(this.deps.onFault);
  }

  private show(metrics: Metrics): void {
    const readers = [...this.readings.values()].map(({ reader }) => reader);
    const unread = readers.reduce((sum, { lag }) => sum + lag, 0);
    metrics.sources({ unread, stuckSeconds: Math.max(0, ...readers.map(({ stuckMs }) => stuckMs)) / 1_000 });
  }

  private begin(id: string): void {
    const stop = new AbortController();
    // a name of its own for each time that it reads: only then are the writes of the time before refused
    const reader = new SourceReader({ triggerId: id, holder: this.newId() }, ALL, this.deps);
    const ended = reader.run(stop.signal).finally(() => this.readings.delete(id));
    ended.then(() => this.leases.giveBack([id])).catch(this.deps.onFault);
    this.readings.set(id, { reader, stop, ended });
  }
}
