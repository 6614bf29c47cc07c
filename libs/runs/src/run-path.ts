/**
 * What accepts plays, admits them to their company's window and rings for them: one of each in a process, each named once. A part
 * is made from those before it. The write that ends a play knows no part that waits for the end: `RunPathEvents` tells those parts.
 */
import type { FactoryProvider, InjectionToken, OptionalFactoryDependency } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { PROTOCOL_TIMES, type PlayKey } from '@weft/engine';
import { CLOCK, type Clock } from '@weft/kernel';
import { LOG, Metrics, Tracing, warnRarely } from '@weft/observability';
import {
  ChildPlaysRepository,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  PayloadStore,
  SystemScope,
  TurnRepository,
  WindowPlaysRepository,
  type StartingLayer,
} from '@weft/store';
import { CompanyRepository, FlowVersionRepository, readFlowLimit, type CompanyDocument } from '@weft/records';
import {
  AdmissionWindow,
  Doorbell,
  LiveWorkers,
  QueueInspector,
  TurnKeeper,
  WindowRefiller,
  WindowRoom,
} from '@weft/queue';
import { InvalidationBus, PlayNotices, PlaySignals } from '@weft/realtime-bus';
import { QueueKeys, REDIS, type Redis } from '@weft/redis';
import { Sandbox } from '@weft/sandbox';
import { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import { RUNS_NOT_RUNG } from './acceptance-warnings.js';
import { CompanyRates } from './company-rates.js';
import { CompanyLimits, type CompanyRules } from './company-limits.js';
import { FlowCache } from './flow-cache.js';
import { observePayloads } from './observe-payloads.js';
import { ParentNotifier } from './parent-notifier.js';
import { PlayAcceptance } from './play-acceptance.js';
import { PlayChanges, type InQueues } from './play-changes.js';
import { PlayCommands } from './play-commands.js';
import { PlayStats } from './play-stats.js';
import { WindowSizes } from './window-sizes.js';

export interface RunsOptions {
  /** For how long a write is repeated whose outcome is unknown, in ms. */
  readonly outcomePatienceMs: number;
}
export const RUNS_OPTIONS = Symbol('RUNS_OPTIONS');

/**
 * `playsEnded`: plays may have ended that this layer waits for. `eventsAwaited`: events may be kept that the play waits for now.
 * `queuesMoved`: of the play's turns and queues, something may be given now.
 */
export class RunPathEvents extends EventEmitter<{
  playsEnded: [StartingLayer];
  eventsAwaited: [PlayKey];
  queuesMoved: [InQueues];
}> {}

const SCOPE = new SystemScope('the run path serves the plays of all companies');
const QUEUE_NOT_MOVED = 'could not let a queue for turns go on: the scheduler will';
const NOT_REFILLED = 'could not ring for the next plays of a company: the scheduler will';
const PARENT_NOT_NOTIFIED = 'could not notify parents of the ends of plays: the scheduler will';

/** A part, from what it is made, and how. */
function part<Part, Needs extends readonly unknown[]>(
  provide: InjectionToken<Part>,
  inject: { readonly [At in keyof Needs]: InjectionToken<Needs[At]> },
  useFactory: (...needs: Needs) => Part,
): FactoryProvider<Part> {
  return { provide, inject: inject as unknown as (InjectionToken | OptionalFactoryDependency)[], useFactory };
}

const announcedBy =
  (changes: PlayChanges): PlayChanges['announce'] =>
  (play, write) =>
    changes.announce(play, write);

function rulesOf({ active, stored, stored_plays, ...company }: CompanyDocument): CompanyRules {
  return {
    isStopped: !active,
    backlogMax: company.backlog_max ?? null,
    runsPerSecond: company.runs_per_second ?? null,
    bytesMax: company.bytes_max ?? null,
    bytesStored: (stored?.bytes ?? 0) + (stored_plays?.bytes ?? 0),
    workerLabel: company.worker_label ?? null,
  };
}

export const RUN_PATH: readonly FactoryProvider[] = [
  part(RunPathEvents, [], () => new RunPathEvents()),
  part(QueueKeys, [SETTINGS], ({ queue }: Settings) => new QueueKeys(queue.prefix, queue.shards)),
  part(
    CompanyLimits,
    [Mongo, SETTINGS, InvalidationBus],
    (mongo: Mongo, { run }: Settings, bus: Pick<InvalidationBus, 'on'>) => {
      const companies = new CompanyRepository(mongo);
      const limits = new CompanyLimits(run.backlogMax, async (ids) => {
        const found = await companies.findMany(SCOPE, ids);
        return new Map(found.map((company) => [company._id, rulesOf(company)]));
      });
      bus.on('company', (id) => limits.drop(id));
      return limits;
    },
  ),
  part(QueueInspector, [Mongo, REDIS, QueueKeys], (mongo: Mongo, redis: Redis, keys: QueueKeys) => {
    const companies = new CompanyRepository(mongo);
    return new QueueInspector(redis, keys, () => companies.workerLabels(SCOPE));
  }),
  part(
    CompanyRates,
    [CompanyLimits, REDIS, SETTINGS, CLOCK],
    (limits: CompanyLimits, redis: Redis, { queue }: Settings, clock: Clock) =>
      new CompanyRates(limits, redis, queue.prefix, clock),
  ),
  part(
    AdmissionWindow,
    [REDIS, QueueKeys, CompanyLimits],
    (redis: Redis, keys: QueueKeys, limits: CompanyLimits) =>
      new AdmissionWindow(redis, keys, (companyId) => limits.isStopped(companyId)),
  ),
  part(
    LiveWorkers,
    [REDIS, QueueKeys, Mongo, SETTINGS],
    (redis: Redis, keys: QueueKeys, mongo: Mongo, { run }: Settings) =>
      new LiveWorkers(redis, keys, { fixedWindow: run.window, serverNow: () => mongo.serverNow() }),
  ),
  part(
    WindowSizes,
    [LiveWorkers, CompanyLimits],
    (workers: LiveWorkers, limits: CompanyLimits) => new WindowSizes(workers, limits),
  ),
  part(
    WindowRoom,
    [AdmissionWindow, WindowSizes],
    (window: AdmissionWindow, sizes: WindowSizes) => new WindowRoom(window, () => sizes.onceKnown()),
  ),
  part(
    Doorbell,
    [REDIS, QueueKeys, LiveWorkers, CompanyLimits, LOG],
    (redis: Redis, keys: QueueKeys, workers: LiveWorkers, limits: CompanyLimits, log: Logger) => {
      const warnNotRung = warnRarely(log, 'run', RUNS_NOT_RUNG);
      return new Doorbell(redis, keys, {
        ringByMs: PROTOCOL_TIMES.ringByMs,
        playsPerJob: (count, label) => workers.playsPerJob(count, label),
        labelOf: (companyId) => limits.workerLabel(companyId),
        onDropped: (plays, cause) => warnNotRung(cause, plays),
      });
    },
  ),
  part(
    MongoPlayStore,
    [Mongo, Metrics, RUNS_OPTIONS],
    (mongo: Mongo, metrics: Metrics, { outcomePatienceMs }: RunsOptions) =>
      new MongoPlayStore(mongo, {
        outcomePatienceMs,
        onBatch: (operation, size, seconds) => operation === 'accept' && metrics.runsAccepted(size, seconds),
      }),
  ),
  part(
    PayloadStore,
    [Mongo, Metrics, LOG],
    (mongo: Mongo, metrics: Metrics, log: Logger) =>
      new PayloadStore(mongo, { onWritten: observePayloads(metrics, log) }),
  ),
  part(OpenPlaysRepository, [Mongo], (mongo: Mongo) => new OpenPlaysRepository(mongo, SCOPE)),
  part(WindowPlaysRepository, [Mongo], (mongo: Mongo) => new WindowPlaysRepository(mongo, SCOPE)),
  part(TurnRepository, [Mongo], (mongo: Mongo) => new TurnRepository(mongo, SCOPE)),
  part(
    PlayChanges,
    [MongoPlayStore, PlayNotices, PlaySignals, PlayStats, RunPathEvents],
    (store: MongoPlayStore, notices: PlayNotices, signals: PlaySignals, figures: PlayStats, events: RunPathEvents) =>
      new PlayChanges({
        ...{ store, notices, signals, figures },
        notifyParent: (layer) => void events.emit('playsEnded', layer),
        eventsAwaited: (play) => void events.emit('eventsAwaited', play),
        queuesGoOn: (play) => void events.emit('queuesMoved', play),
      }),
  ),
  part(
    PlayCommands,
    [Mongo, MongoPlayStore, Doorbell, WindowRoom, PlayChanges],
    (mongo: Mongo, store: MongoPlayStore, doorbell: Doorbell, windowRoom: WindowRoom, changes: PlayChanges) =>
      new PlayCommands({ mongo, store, doorbell, windowRoom, changes }),
  ),
  part(
    ParentNotifier,
    [PlayCommands, PlaySignals, ChildPlaysRepository, LOG, RunPathEvents],
    (
      commands: PlayCommands,
      signals: PlaySignals,
      children: ChildPlaysRepository,
      log: Logger,
      events: RunPathEvents,
    ) => {
      const onFault = warnRarely(log, 'run', PARENT_NOT_NOTIFIED);
      const parents = new ParentNotifier({ commands, signals, children, onFault });
      events.on('playsEnded', (layer) => parents.notifySoon(layer));
      return parents;
    },
  ),
  part(
    TurnKeeper,
    [
      ...([Mongo, TurnRepository, OpenPlaysRepository, Doorbell, WindowRoom, WindowSizes, PlayChanges] as const),
      ...([LOG, RunPathEvents] as const),
    ],
    (
      mongo: Mongo,
      turns: TurnRepository,
      plays: OpenPlaysRepository,
      doorbell: Doorbell,
      windowRoom: WindowRoom,
      sizes: WindowSizes,
      changes: PlayChanges,
      log: Logger,
      events: RunPathEvents,
    ) => {
      const keeper: TurnKeeper = new TurnKeeper({
        ...{ turns, plays, doorbell, windowRoom, announce: announcedBy(changes) },
        flowLimit: (queue) => readFlowLimit(mongo, queue),
        windowSize: sizes.of,
        serverNow: () => mongo.serverNow(),
      });
      const onFault = warnRarely(log, 'run', QUEUE_NOT_MOVED);
      events.on('queuesMoved', (play) => void keeper.ended(play).catch(onFault));
      return keeper;
    },
  ),
  part(
    WindowRefiller,
    [Mongo, AdmissionWindow, Doorbell, WindowPlaysRepository, WindowSizes, PlayChanges, LOG],
    (
      mongo: Mongo,
      window: AdmissionWindow,
      doorbell: Doorbell,
      plays: WindowPlaysRepository,
      sizes: WindowSizes,
      changes: PlayChanges,
      log: Logger,
    ) =>
      new WindowRefiller(window, doorbell, plays, {
        sizeOf: sizes.of,
        serverNow: () => mongo.serverNow(),
        announce: announcedBy(changes),
        onFault: warnRarely(log, 'run', NOT_REFILLED),
      }),
  ),
  part(
    PlayAcceptance,
    [
      ...([Mongo, FlowCache, MongoPlayStore, PayloadStore, Doorbell, AdmissionWindow, WindowSizes] as const),
      ...([OpenPlaysRepository, TurnRepository, TurnKeeper, CompanyLimits, CompanyRates, PlayNotices] as const),
      ...([PlayStats, Metrics, Sandbox, Tracing, LOG, WindowRefiller, WindowPlaysRepository] as const),
    ],
    (
      mongo: Mongo,
      flows: FlowCache,
      store: MongoPlayStore,
      payloads: PayloadStore,
      doorbell: Doorbell,
      window: AdmissionWindow,
      windowSizes: WindowSizes,
      plays: OpenPlaysRepository,
      turns: TurnRepository,
      turnKeeper: TurnKeeper,
      limits: CompanyLimits,
      rates: CompanyRates,
      notices: PlayNotices,
      figures: PlayStats,
      metrics: Metrics,
      sandbox: Sandbox,
      tracing: Tracing,
      log: Logger,
      refiller: WindowRefiller,
      windowPlays: WindowPlaysRepository,
    ) =>
      new PlayAcceptance({
        ...{ mongo, flows, store, payloads, doorbell, window, windowSizes, plays, turns, turnKeeper },
        ...{ refiller, windowPlays },
        ...{ limits, rates, notices, sandbox, tracing, log, versions: new FlowVersionRepository(mongo) },
        onSkipped: (play) => figures.ended(play, 'SKIP', null),
        onRefused: (code) => metrics.runRefused(code),
      }),
  ),
];
