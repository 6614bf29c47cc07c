import type { Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { warnRarely, type Metrics, type Tracing } from '@weft/observability';
import {
  CompanyRepository,
  ChildPlaysRepository,
  LoopChildrenRepository,
  FlowGateRepository,
  FlowVersionRepository,
  LaneRepository,
  MongoPlayStore,
  OpenPlaysRepository,
  PayloadStore,
  SystemScope,
  WindowPlaysRepository,
  type Mongo,
  TenantScope,
} from '@weft/persistence';
import {
  Doorbell,
  FlowGatekeeper,
  LaneKeeper,
  LiveWorkers,
  WindowRoom,
  QueueInspector,
  AdmissionWindow,
  WindowRefiller,
} from '@weft/queue';
import type { PlayNotices, PlaySignals } from '@weft/realtime-bus';
import { QueueKeys, type Redis } from '@weft/redis';
import type { Sandbox } from '@weft/sandbox';
import type { Logger } from 'pino';
import { RUNS_NOT_RUNG } from './acceptance-warnings.js';
import { CompanyLimits } from './company-limits.js';
import type { FlowCache } from './flow-cache.js';
import { observePayloads } from './observe-payloads.js';
import { PlayAcceptance } from './play-acceptance.js';
import type { PlayStats } from './play-stats.js';
import { PlayChanges } from './play-changes.js';
import { PlayCommands } from './play-commands.js';
import { LoopNotifier } from './loop-notifier.js';
import { ParentNotifier } from './parent-notifier.js';

export interface RunPathDependencies {
  readonly settings: Pick<Settings, 'run' | 'queue'>;
  readonly redis: Redis;
  readonly mongo: Mongo;
  readonly flows: FlowCache;
  readonly notices: PlayNotices;
  readonly signals: PlaySignals;
  readonly children: ChildPlaysRepository;
  readonly figures: Pick<PlayStats, 'ended'>;
  readonly metrics: Pick<Metrics, 'runsAccepted' | 'runRefused' | 'payloadWritten'>;
  readonly log: Logger;
  readonly tracing: Tracing;
  /** For conditions of flows that are more than a path. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** For how long a write is repeated whose outcome is unknown, in ms. */
  readonly outcomePatienceMs: number;
}

/** What accepts plays, admits them to their company's window and rings for them: one of each in a process. */
export interface RunPath {
  readonly keys: QueueKeys;
  readonly inspector: QueueInspector;
  readonly liveWorkers: LiveWorkers;
  readonly window: AdmissionWindow;
  readonly windowRoom: WindowRoom;
  readonly doorbell: Doorbell;
  readonly store: MongoPlayStore;
  readonly payloads: PayloadStore;
  readonly plays: OpenPlaysRepository;
  readonly windowPlays: WindowPlaysRepository;
  readonly gates: FlowGateRepository;
  readonly gatekeeper: FlowGatekeeper;
  readonly lanes: LaneRepository;
  readonly laneKeeper: LaneKeeper;
  readonly refiller: WindowRefiller;
  readonly acceptance: PlayAcceptance;
  readonly changes: PlayChanges;
  readonly commands: PlayCommands;
  readonly parents: ParentNotifier;
  readonly loops: LoopNotifier;
}

const LANE_NOT_MOVED = 'could not let a lane go on: the scheduler will';
const NOT_REFILLED = 'could not ring for the next plays of a company: the scheduler will';
const PARENT_NOT_NOTIFIED = 'could not notify parents of the ends of plays: the scheduler will';

export function openRunPath(deps: RunPathDependencies): RunPath {
  const { settings, redis, mongo, notices, metrics, log, figures } = deps;
  const serverNow = () => mongo.serverNow();
  const warnNotRung = warnRarely(log, 'run', RUNS_NOT_RUNG);
  const scope = new SystemScope('the run path serves the plays of all companies');

  const keys = new QueueKeys(settings.queue.prefix, settings.queue.shards);
  const window = new AdmissionWindow(redis, keys);
  const liveWorkers = new LiveWorkers(redis, keys, { fixedWindow: settings.run.window, serverNow });
  const windowSize = () => liveWorkers.windowSize();
  const windowRoom = new WindowRoom(window, () => liveWorkers.windowSizeOnceKnown());
  const doorbell = new Doorbell(redis, keys, {
    ringByMs: PROTOCOL_TIMES.ringByMs,
    playsPerJob: (count) => liveWorkers.playsPerJob(count),
    onDropped: (plays, cause) => warnNotRung(cause, plays),
  });

  const store = new MongoPlayStore(mongo, {
    outcomePatienceMs: deps.outcomePatienceMs,
    onBatch: (operation, size, seconds) => operation === 'accept' && metrics.runsAccepted(size, seconds),
  });
  const payloads = new PayloadStore(mongo, { onWritten: observePayloads(metrics, log) });
  const onLaneFault = warnRarely(log, 'run', LANE_NOT_MOVED);
  const changes: PlayChanges = new PlayChanges({
    ...{ store, notices, figures, signals: deps.signals },
    notifyParent: (child) => parents.notifySoon(child),
    laneGoesOn: (lane) => void laneKeeper.goOn(lane).catch(onLaneFault),
  });
  const commands = new PlayCommands({ mongo, store, doorbell, windowRoom, changes });
  const onFault = warnRarely(log, 'run', PARENT_NOT_NOTIFIED);
  const loops = new LoopNotifier({ store, commands, loops: new LoopChildrenRepository(mongo), onFault });
  const parents = new ParentNotifier({ store, commands, loops, children: deps.children, onFault });
  const announce: PlayChanges['announce'] = (play, write) => changes.announce(play, write);
  const plays = new OpenPlaysRepository(mongo, scope);
  const gates = new FlowGateRepository(mongo, scope);
  const gatekeeper = new FlowGatekeeper({ gates, plays, doorbell, windowRoom, windowSize, serverNow, announce });
  const lanes = new LaneRepository(mongo, scope);
  const laneKeeper: LaneKeeper = new LaneKeeper({
    ...{ lanes, plays, gatekeeper, doorbell, windowRoom, serverNow, announce },
  });
  const windowPlays = new WindowPlaysRepository(mongo, scope);
  const refiller = new WindowRefiller(window, doorbell, windowPlays, {
    window: windowSize,
    serverNow,
    announce,
    onFault: warnRarely(log, 'run', NOT_REFILLED),
  });
  const companies = new CompanyRepository(mongo);
  const limits = new CompanyLimits(settings.run.backlogMax, (id) => companies.backlogMax(new TenantScope(id)));
  const acceptance = new PlayAcceptance({
    ...deps,
    limits,
    ...{ store, payloads, doorbell, window, refiller, windowPlays, liveWorkers, plays, gatekeeper, lanes, laneKeeper },
    versions: new FlowVersionRepository(mongo),
    onSkipped: (play) => figures.ended(play, 'SKIP', null),
    onRefused: (code) => metrics.runRefused(code),
  });
  return {
    ...{ keys, inspector: new QueueInspector(redis, keys), liveWorkers, window, windowRoom, doorbell },
    ...{
      store,
      payloads,
      plays,
      windowPlays,
      gates,
      gatekeeper,
      lanes,
      laneKeeper,
      refiller,
      acceptance,
      changes,
      commands,
      parents,
      loops,
    },
  };
}
