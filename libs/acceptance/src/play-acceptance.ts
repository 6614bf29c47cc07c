import type { Settings } from '@weft/config';
import { isFinal, type PlayTrigger } from '@weft/contracts';
import { acceptPlay, type ParentLayer, type Play, type RunRequest } from '@weft/engine';
import { WeftError, createIdSource, type NewId } from '@weft/kernel';
import {
  FlowGateRepository,
  OpenPlaysRepository,
  PayloadStore,
  SystemScope,
  TenantScope,
  type Mongo,
  type MongoPlayStore,
} from '@weft/persistence';
import {
  FlowGatekeeper,
  leaveToScheduler,
  LiveWorkers,
  Places,
  RunWindow,
  type Doorbell,
  type QueueKeys,
} from '@weft/queue';
import { Tracing } from '@weft/observability';
import type { PlayNotices } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import type { Redis } from 'ioredis';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { acceptanceTrouble } from './acceptance-trouble.js';
import { Backlog } from './backlog.js';
import type { FlowCache, RunnableFlow } from './flow-cache.js';
import { conditionHolds, type ConditionMeans } from './flow-condition.js';
import { acceptWithArgs } from './large-args.js';
import { RunBell } from './run-bell.js';
import { withOrigin } from './with-origin.js';

export interface PlayAcceptanceParts {
  readonly settings: Pick<Settings, 'run'>;
  readonly redis: Redis;
  readonly keys: QueueKeys;
  readonly mongo: Mongo;
  readonly flows: FlowCache;
  readonly store: MongoPlayStore;
  readonly doorbell: Doorbell;
  readonly notices: PlayNotices;
  readonly log: Logger;
  /** Told of plays that the flow's condition, or their schedule, turned away. */
  readonly onSkipped?: (play: Play) => void;
  /** For conditions that are more than a path. Default: one of its own, started when there is such a flow. */
  readonly sandbox?: Pick<Sandbox, 'run'>;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
  /** Where large args lie. Default: one of its own. */
  readonly payloads?: PayloadStore;
}

/** A run of a flow, whoever asks for it. */
export interface RunAsk {
  /** Default: the next one. An id that is taken is no second play: see `AcceptedRun.wasThere`. */
  readonly playId?: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  /** Default none. */
  readonly idempotencyKey?: string | null;
  /** When it is to start; one that has passed is now. Default now. */
  readonly runAt?: Date | null;
  readonly delayMs?: number | null;
  /** −10 … 10; default 0. */
  readonly priority?: number;
  readonly parentPlayId?: string;
  /** One play of each of them: a second one is `wasThere`. */
  readonly parent?: ParentLayer;
  /** The parent waits for it, and is told its end. */
  readonly awaited?: boolean;
}

export interface AcceptedRun {
  readonly play: Play;
  /** An earlier play holds the key: that one is given, nothing new was made. */
  readonly replayed: boolean;
  /** A play with this id was stored before, perhaps by somebody else: `play` is what was asked for, not what is stored. */
  readonly wasThere?: true;
}

/**
 * Accepts plays: one insert decides, everything after it (admission, ring, notice) may fail without losing the play. The same
 * for a run that a caller asks for, a schedule's slot and a flow that another flow runs: bounded by the company's backlog, in
 * its window, behind its flow's concurrency limit and condition. Who may is asked before.
 */
export class PlayAcceptance {
  /** Ids of plays sort in the order in which they were accepted, over all processes: they share one clock. */
  readonly nextPlayId: NewId;
  /** In the windows of companies, for plays that go on. */
  readonly places: Places;
  private readonly bell: RunBell;
  private readonly gates: FlowGatekeeper;
  private readonly backlog: Backlog;
  private readonly means: ConditionMeans;
  private readonly payloads: PayloadStore;
  private readonly trouble: ReturnType<typeof acceptanceTrouble>;

  constructor(private readonly parts: PlayAcceptanceParts) {
    const { settings, redis, keys, mongo, doorbell, notices } = parts;
    this.trouble = acceptanceTrouble(parts.log);
    const serverNow = () => mongo.serverNow();
    this.means = { sandbox: parts.sandbox ?? new Sandbox(), now: serverNow };
    this.payloads = parts.payloads ?? new PayloadStore(mongo);
    const window = new RunWindow(redis, keys, { serverNow });
    const liveWorkers = new LiveWorkers(redis, keys);
    this.nextPlayId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    const windowSize = () => liveWorkers.window(settings.run.window, serverNow());
    const scope = new SystemScope('plays are let in and counted beside the answers, for whoever was answered');
    const plays = new OpenPlaysRepository(mongo, scope);
    this.backlog = new Backlog(settings.run.backlogMax, async (companyId) => {
      const { backlogMax } = settings.run;
      const now = new Date(serverNow());
      const [{ waiting: behind }, queued, due, delayed] = await Promise.all([
        window.stateOf(companyId),
        plays.countQueued(companyId, backlogMax),
        plays.countDue(companyId, now, backlogMax),
        plays.countNotYetDue(companyId, now, backlogMax),
      ]);
      return { behind, queued, due, delayed };
    });
    this.bell = new RunBell(window, doorbell, {
      windowSize: () => liveWorkers.windowOnceKnown(settings.run.window, serverNow()),
      onWaiting: (companyId, waiting) => this.backlog.learn(companyId, waiting),
      onSilent: (count, err) => this.trouble.unrung(err, count),
    });
    this.places = new Places(window, windowSize);
    this.gates = new FlowGatekeeper({
      gates: new FlowGateRepository(mongo, scope),
      plays,
      doorbell,
      places: this.places,
      ...{ windowSize, serverNow },
      announce: (companyId, playId, seq) => notices.announce(companyId, playId, seq),
      onRefused: leaveToScheduler,
    });
  }

  /**
   * @param flow that `assertRunnable` let through
   * @throws WeftError `both_delay_and_date`, `backlog_full`, `condition_failed`
   */
  async accept(flow: RunnableFlow, ask: RunAsk): Promise<AcceptedRun> {
    if (ask.delayMs != null && ask.runAt != null) {
      throw new WeftError('both_delay_and_date', 'Give delayMs or runAt, not both.');
    }
    const askedAtMs = performance.now();
    const request = this.requestOf(flow, ask);
    this.backlog.assertRoom(flow.companyId, request.dueAt !== null);
    const asked = acceptPlay(request);
    const holds = conditionHolds(flow, ask.args, this.means);
    const accepted = (holds instanceof Promise ? await holds : holds)
      ? await this.store(asked)
      : await this.skip(asked, acceptPlay({ ...request, skipped: true }));
    if (!accepted.replayed && !accepted.wasThere) this.setOff(accepted.play, askedAtMs);
    return accepted;
  }

  /** A run that is recorded and does not take place: SKIP. It waits for nothing, so no backlog bounds it. */
  async acceptSkipped(flow: RunnableFlow, ask: RunAsk): Promise<AcceptedRun> {
    const askedAtMs = performance.now();
    const accepted = await this.store(acceptPlay({ ...this.requestOf(flow, ask), skipped: true }));
    if (!accepted.wasThere) this.setOff(accepted.play, askedAtMs);
    return accepted;
  }

  /**
   * Accepts a play that somebody else has put together (a retry, a rerun), as a run is accepted.
   *
   * @param prepared with an id from `nextPlayId`
   * @throws WeftError `backlog_full`
   */
  async acceptPrepared(prepared: Play): Promise<AcceptedRun> {
    this.backlog.assertRoom(prepared.company_id, prepared.dueAt !== undefined);
    const flow = await this.parts.flows.get(new TenantScope(prepared.company_id), prepared.flowId);
    const askedAtMs = performance.now();
    const accepted = await this.store(isLimited(flow) ? limited(prepared) : prepared);
    if (!accepted.replayed && !accepted.wasThere) this.setOff(accepted.play, askedAtMs);
    return accepted;
  }

  private requestOf(flow: RunnableFlow, ask: RunAsk): RunRequest {
    const serverNow = new Date(this.parts.mongo.serverNow());
    return {
      playId: ask.playId ?? this.nextPlayId(),
      companyId: flow.companyId,
      flowId: flow.id,
      version: flow.version,
      args: ask.args,
      idempotencyKey: ask.idempotencyKey ?? null,
      dueAt: dueAtOf(ask, serverNow),
      trigger: ask.trigger,
      triggeredBy: ask.triggeredBy,
      serverNow,
      priority: ask.priority,
      timeoutMs: flow.settings.timeoutMs,
      limited: isLimited(flow),
      parentPlayId: ask.parentPlayId,
      parent: ask.parent,
      awaited: ask.awaited,
    };
  }

  /** A run that the flow's condition turns away binds no key, but finds the play that its key is bound to. */
  private async skip(asked: Play, skipped: Play): Promise<AcceptedRun> {
    const holder = asked.key === undefined ? null : await this.parts.store.holderOf(asked);
    return holder ? { play: holder, replayed: true } : this.store(skipped);
  }

  /** Resolves when what follows the accepted plays is done, or left to the reconciler. */
  settled(): Promise<void> {
    return this.bell.settled();
  }

  private store(play: Play): Promise<AcceptedRun> {
    const { store, tracing = Tracing.OFF } = this.parts;
    const { unnoted: onUnnoted } = this.trouble;
    return withOrigin(play, tracing, (of) => acceptWithArgs(of, { store, payloads: this.payloads, onUnnoted }));
  }

  /** What follows an insert, beside the answer. */
  private setOff(play: Play, askedAtMs: number): void {
    const { _id: playId, company_id: companyId, flowId, epoch } = play;
    if (play.state === 'NEW') {
      this.backlog.add(companyId);
      this.bell.ring({ playId, companyId, flowId, epoch }, play.priority, askedAtMs);
    } else if (play.queued) {
      this.backlog.addQueued(companyId);
      this.gates.admit({ companyId, flowId }).catch((err: unknown) => this.trouble.notLetIn(err));
    } else if (play.dueAt) {
      this.backlog.addDelayed(companyId);
    } else if (isFinal(play.state)) {
      this.parts.notices.announce(companyId, playId, play.seq);
      this.parts.onSkipped?.(play);
    }
  }
}

/** @throws WeftError `flow_is_blueprint`, `flow_disabled` */
export function assertRunnable(flow: RunnableFlow): void {
  if (flow.isBlueprint) {
    throw new WeftError(
      'flow_is_blueprint',
      'A blueprint is not run: instantiate it and run the flow that comes of it.',
    );
  }
  if (!flow.enabled) throw new WeftError('flow_disabled', 'The flow is disabled: enable it to run it.');
}

function isLimited(flow: RunnableFlow | null): boolean {
  return flow !== null && flow.settings.concurrency !== null;
}

/** A play that would start at once waits for its admission instead; one that is delayed joins the queue when it is due. */
function limited(play: Play): Play {
  if (play.state !== 'NEW') return play.state === 'DEFERRED' ? { ...play, limited: true } : play;
  const { beatAt: _beatAt, ...rest } = play;
  return { ...rest, state: 'DEFERRED', limited: true, queued: true };
}

function dueAtOf({ runAt, delayMs }: RunAsk, serverNow: Date): Date | null {
  if (runAt) return runAt > serverNow ? runAt : null;
  return delayMs ? new Date(serverNow.getTime() + delayMs) : null;
}
