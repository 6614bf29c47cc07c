import { Inject, Injectable } from '@nestjs/common';
import type { FlowUnderAccess, Principal } from '@weft/access';
import type { Settings } from '@weft/config';
import { isFinal } from '@weft/contracts';
import { acceptPlay, type Play, type RunRequest } from '@weft/engine';
import { LOG, REDIS, SETTINGS, type Drainable } from '@weft/host';
import { WeftError, createIdSource, type NewId } from '@weft/kernel';
import {
  FlowGateRepository,
  Mongo,
  MongoPlayStore,
  OpenPlaysRepository,
  SystemScope,
  TenantScope,
} from '@weft/persistence';
import { Doorbell, FlowGatekeeper, LiveWorkers, QueueKeys, RunWindow } from '@weft/queue';
import { PlayNotices } from '@weft/realtime-bus';
import type { Redis } from 'ioredis';
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { FlowCache, type RunnableFlow } from '../flows/flow-cache.js';
import { conditionHolds } from '../flows/flow-condition.js';
import { FlowRights } from '../flows/flow-rights.js';
import { seesOwnOnly } from '../plays/play-rights.js';
import { toWeftError } from '../http/problem.js';
import { Backlog } from './backlog.js';
import { RunBell } from './run-bell.js';
import type { RunOrder } from './run.requests.js';

export interface Accepted {
  readonly play: Play;
  /** An earlier play holds the key: nothing new was made. */
  readonly replayed: boolean;
  /** The earlier play was asked for with other args. */
  readonly mismatch: boolean;
}

/** Accepts runs: one insert decides, everything after it may fail without losing the run. */
@Injectable()
export class RunService implements Drainable {
  private readonly bell: RunBell;
  private readonly gates: FlowGatekeeper;
  private readonly backlog: Backlog;
  private readonly newPlayId: NewId;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(REDIS) redis: Redis,
    @Inject(LOG) private readonly log: Logger,
    keys: QueueKeys,
    private readonly mongo: Mongo,
    private readonly flows: FlowCache,
    private readonly rights: FlowRights,
    private readonly store: MongoPlayStore,
    private readonly doorbell: Doorbell,
    private readonly notices: PlayNotices,
  ) {
    const serverNow = () => mongo.serverNow();
    const window = new RunWindow(redis, keys);
    const liveWorkers = new LiveWorkers(redis, keys);
    // one clock for the ids of all replicas: their order is the order of acceptance
    this.newPlayId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    const windowSize = () => liveWorkers.window(settings.run.window, serverNow());
    const scope = new SystemScope('plays are let in and counted beside the answers, for whoever was answered');
    const plays = new OpenPlaysRepository(mongo, scope);
    this.backlog = new Backlog(settings.run.backlogMax, async (companyId) => {
      const [{ waiting }, queued] = await Promise.all([
        window.stateOf(companyId),
        plays.countQueued(companyId, settings.run.backlogMax),
      ]);
      return { behind: waiting, queued };
    });
    this.bell = new RunBell(window, this.doorbell, {
      windowSize,
      onWaiting: (companyId, waiting) => this.backlog.learn(companyId, waiting),
      onSilent: (count, err) =>
        log.warn({ component: 'run', plays: count, err }, 'accepted without a ring: the reconciler will ring'),
    });
    this.gates = new FlowGatekeeper({
      gates: new FlowGateRepository(mongo, scope),
      plays,
      doorbell,
      window,
      windowSize,
      serverNow,
      announce: (companyId, playId, seq) => notices.announce(companyId, playId, seq),
    });
  }

  /**
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `both_delay_and_date`, `backlog_full`
   */
  async accept(caller: Principal, flowId: string, order: RunOrder): Promise<Accepted> {
    const flow = this.runnable(caller, flowId);
    return this.insert(caller, flow instanceof Promise ? await flow : flow, order);
  }

  /**
   * Accepts many runs of one flow in few round trips. What is refused of one stands in its place; what is wrong with the
   * flow refuses all.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`; `store_unavailable` when none was accepted
   */
  async acceptAll(
    caller: Principal,
    flowId: string,
    orders: readonly (RunOrder | WeftError)[],
  ): Promise<(Accepted | WeftError)[]> {
    const flow = await this.runnable(caller, flowId);
    const items = await Promise.all(
      orders.map(async (order) =>
        order instanceof WeftError
          ? order
          : this.insert(caller, flow, order).catch((error: unknown) => this.refusalOf(error)),
      ),
    );
    const away = items.find((item) => item instanceof WeftError && item.code === 'store_unavailable');
    if (away instanceof WeftError && items.every((item) => item instanceof WeftError)) throw away;
    return items;
  }

  /** Ids of plays sort in the order in which they were accepted, over all replicas. */
  nextPlayId(): string {
    return this.newPlayId();
  }

  /**
   * Accepts a play that somebody else has put together (a retry, a rerun), as a run is accepted: bounded by the backlog,
   * durable before it resolves, let in by its flow's gate, and rung for. Who may do this was asked before.
   *
   * @param prepared with an id from `nextPlayId`
   * @returns `replayed`: another play holds its key; that one is given, and nothing was inserted
   * @throws WeftError `backlog_full`
   */
  async acceptPrepared(prepared: Play): Promise<Omit<Accepted, 'mismatch'>> {
    this.backlog.assertRoom(prepared.company_id);
    const flow = await this.flows.get(new TenantScope(prepared.company_id), prepared.flowId);
    const askedAtMs = performance.now();
    const accepted = await this.store.accept(isLimited(flow) ? limited(prepared) : prepared);
    if (!accepted.replayed) this.setOff(accepted.play, askedAtMs);
    return accepted;
  }

  async drain(): Promise<void> {
    this.store.close();
    await this.doorbell.close();
  }

  /**
   * The flow, if the caller may run it now. A promise only when MongoDB must be asked.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`: in the order of contract §1
   */
  runnable(caller: Principal, flowId: string): RunnableFlow | Promise<RunnableFlow> {
    const flow = this.flows.get(new TenantScope(caller.companyId), flowId);
    return flow instanceof Promise ? flow.then((found) => this.permitted(caller, found)) : this.permitted(caller, flow);
  }

  /** Whether the caller may read how the play ended: a right to run a flow is none to read it, and a key may hold another's play. */
  async mayRead(caller: Principal, play: Play): Promise<boolean> {
    if (seesOwnOnly(caller, 'GET') && play.triggeredBy !== caller.userId) return false;
    const flow = await this.flows.get(new TenantScope(caller.companyId), play.flowId);
    return flow !== null && this.rights.mayOnPlay(caller, 'read', play, toFlowUnderAccess(flow));
  }

  private permitted(caller: Principal, flow: RunnableFlow | null): RunnableFlow | Promise<RunnableFlow> {
    if (!flow) throw new WeftError('not_found', 'There is no such flow.');
    const may = this.rights.may(caller, 'execute', toFlowUnderAccess(flow));
    return may instanceof Promise ? may.then((answer) => check(flow, answer)) : check(flow, may);
  }

  private async insert(caller: Principal, flow: RunnableFlow, order: RunOrder): Promise<Accepted> {
    if (order.delayMs !== null && order.runAt !== null) {
      throw new WeftError('both_delay_and_date', 'Give delayMs or runAt, not both.');
    }
    this.backlog.assertRoom(flow.companyId);
    const askedAtMs = performance.now();
    const serverNow = new Date(this.mongo.serverNow());
    const request: RunRequest = {
      playId: this.newPlayId(),
      companyId: flow.companyId,
      flowId: flow.id,
      version: flow.version,
      args: order.args,
      idempotencyKey: order.idempotencyKey,
      dueAt: dueAtOf(order, serverNow),
      trigger: 'api',
      triggeredBy: caller.userId,
      serverNow,
      priority: order.priority,
      timeoutMs: flow.settings.timeoutMs,
      limited: isLimited(flow),
    };
    const asked = acceptPlay(request);
    const { play, replayed } = conditionHolds(flow, order.args)
      ? await this.store.accept(asked)
      : await this.skip(asked, acceptPlay({ ...request, skipped: true }));
    if (replayed) return { play, replayed, mismatch: !isDeepStrictEqual(play.args, order.args) };
    this.setOff(play, askedAtMs);
    return { play, replayed, mismatch: false };
  }

  /** A run that the flow's condition turns away binds no key, but finds the play that its key is bound to. */
  private async skip(asked: Play, skipped: Play): Promise<{ play: Play; replayed: boolean }> {
    const holder = asked.key === undefined ? null : await this.store.holderOf(asked);
    return holder ? { play: holder, replayed: true } : this.store.accept(skipped);
  }

  private refusalOf(error: unknown): WeftError {
    const refusal = toWeftError(error);
    if (refusal.code === 'internal')
      this.log.error({ component: 'run', err: error }, 'a run of a batch was not accepted');
    return refusal;
  }

  /** What follows an insert, beside the answer. */
  private setOff(play: Play, askedAtMs: number): void {
    const { _id: playId, company_id: companyId, flowId, epoch } = play;
    if (play.state === 'NEW') {
      this.backlog.add(companyId);
      this.bell.ring({ playId, companyId, flowId, epoch }, play.priority, askedAtMs);
    } else if (play.queued) {
      this.backlog.addQueued(companyId);
      this.gates.admit({ companyId, flowId }).catch((err: unknown) => {
        this.log.warn({ component: 'run', flow: flowId, err }, 'could not let plays in: the reconciler will');
      });
    } else if (isFinal(play.state)) {
      this.notices.announce(companyId, playId, play.seq);
    }
  }
}

function toFlowUnderAccess({ id, companyId, createdBy, groupId, restricted }: RunnableFlow): FlowUnderAccess {
  return { _id: id, company_id: companyId, createdBy, groupId, restricted };
}

function check(flow: RunnableFlow, may: boolean): RunnableFlow {
  if (!may) throw new WeftError('denied', 'You may not execute this flow.');
  if (flow.isBlueprint)
    throw new WeftError(
      'flow_is_blueprint',
      'A blueprint is not run: instantiate it and run the flow that comes of it.',
    );
  if (!flow.enabled) throw new WeftError('flow_disabled', 'The flow is disabled: enable it to run it.');
  return flow;
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

/** A time that has passed is now. */
function dueAtOf({ runAt, delayMs }: RunOrder, serverNow: Date): Date | null {
  if (runAt) return runAt > serverNow ? runAt : null;
  return delayMs ? new Date(serverNow.getTime() + delayMs) : null;
}
