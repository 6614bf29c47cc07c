import { LOG } from '@weft/observability';
import { Inject, Injectable } from '@nestjs/common';
import {
  assertEnabled,
  assertPublished,
  assertRunnable,
  FlowCache,
  hasArgs,
  insertTurns,
  PlayAcceptance,
  toFlowUnderAccess,
  type AcceptedRun,
  type InsertTurn,
  type RunnableFlow,
} from '@weft/runs';
import { isAgent, type Principal } from '@weft/access';
import { fileIdOf } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { MongoPlayStore, PayloadStore, TenantScope } from '@weft/store';
import type { Logger } from 'pino';
import { FlowRights } from '../../flows/flow-rights.js';
import { VersionRights } from '../../flows/versions/version-rights.js';
import { seesOwnOnly } from '../play-rights.js';
import { toWeftError } from '../../http/problem.js';
import { LaneRights } from './lane-rights.js';
import type { RunOrder } from './run.requests.js';
import { UploadedArgs, type RunArgs } from './uploaded-args.js';

export interface Accepted {
  readonly play: Play;
  /** An earlier play holds the key: nothing new was made. */
  readonly replayed: boolean;
  /** True: the earlier play has other args. */
  readonly mismatch: boolean;
  /** The failed play that held the key: `play` is its retry. */
  readonly continues?: string;
}

/** Accepts runs: one insert decides, everything after it may fail without losing the run. */
@Injectable()
export class RunService {
  constructor(
    @Inject(LOG) private readonly log: Logger,
    private readonly flows: FlowCache,
    private readonly rights: FlowRights,
    private readonly versions: VersionRights,
    private readonly acceptance: PlayAcceptance,
    private readonly store: MongoPlayStore,
    private readonly payloads: PayloadStore,
    private readonly uploaded: UploadedArgs,
    private readonly lanes: LaneRights,
  ) {}

  /**
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `flow_not_published`, `unknown_id` of a version,
   * `version_not_published`, `lane_denied`, `both_delay_and_date`, `backlog_full`, `idempotency_mismatch`
   */
  async accept(caller: Principal, flowId: string, order: RunOrder, trigger: 'api' | 'mcp' = 'api'): Promise<Accepted> {
    const permitted = this.permitted(caller, flowId, assertEnabled);
    const flow = permitted instanceof Promise ? await permitted : permitted;
    const at = this.versionsOf(caller, flow);
    return this.insert(caller, at, order, { trigger }).catch((error: unknown) => this.orEarlier(flow, order, error));
  }

  /**
   * Accepts many runs of one flow in few round trips. The refusal of one run takes its place in the result; a fault of the
   * flow refuses all.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `flow_not_published`; `store_unavailable` when
   * none was accepted
   */
  async acceptAll(
    caller: Principal,
    flowId: string,
    orders: readonly (RunOrder | WeftError)[],
  ): Promise<(Accepted | WeftError)[]> {
    const flow = await this.permitted(caller, flowId, assertEnabled);
    if (!orders.some((order) => 'version' in order && order.version !== undefined)) assertPublished(flow);
    const turns = mayHaveLanes(flow, orders) ? insertTurns(orders.length) : [];
    const at = this.versionsOf(caller, flow);
    const items = await Promise.all(
      orders.map((order, i) => this.acceptItem(caller, flow, at, order, turns[i]).finally(turns[i]?.passed)),
    );
    const away = items.find((item) => item instanceof WeftError && item.code === 'store_unavailable');
    if (away instanceof WeftError && items.every((item) => item instanceof WeftError)) throw away;
    return items;
  }

  private async acceptItem(
    caller: Principal,
    flow: RunnableFlow,
    at: VersionOf,
    order: RunOrder | WeftError,
    turn: InsertTurn | undefined,
  ): Promise<Accepted | WeftError> {
    if (order instanceof WeftError) return order;
    if (fileIdOf(order.args) !== null) return notInBatch();
    return this.insert(caller, at, order, { turn })
      .catch((error: unknown) => this.orEarlier(flow, order, error))
      .catch((error: unknown) => this.refusalOf(error));
  }

  /** Ids of plays sort in the order in which they were accepted, over all replicas. */
  nextPlayId(): string {
    return this.acceptance.nextPlayId();
  }

  /**
   * Accepts a play that the caller has made (a retry, a rerun) under the same rules as a run: bounded by the backlog, durable
   * before it resolves, given its turns, and rung for. The caller has checked the rights.
   *
   * @param prepared with an id from `nextPlayId`
   * @returns `replayed`: another play holds its key; that one is given, and nothing was inserted
   * @throws WeftError `backlog_full`
   */
  acceptPrepared(prepared: Play): Promise<AcceptedRun> {
    return this.acceptance.acceptPrepared(prepared);
  }

  /**
   * The flow, if the caller may run it now. A promise only when MongoDB must be read.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `flow_not_published`: in the order of
   * docs/http-api.md §1.5
   */
  runnable(caller: Principal, flowId: string): RunnableFlow | Promise<RunnableFlow> {
    return this.permitted(caller, flowId, assertRunnable);
  }

  private permitted(caller: Principal, flowId: string, assertState: AssertState): RunnableFlow | Promise<RunnableFlow> {
    const flow = this.flows.get(new TenantScope(caller.companyId), flowId);
    return flow instanceof Promise
      ? flow.then((found) => this.allowed(caller, found, assertState))
      : this.allowed(caller, flow, assertState);
  }

  /** Whether the caller may read how the play ended: the right to run a flow does not include reading it, and an idempotency key may name another user's play. */
  async mayRead(caller: Principal, play: Pick<Play, 'flowId' | 'triggeredBy'>): Promise<boolean> {
    if (seesOwnOnly(caller, 'GET') && play.triggeredBy !== caller.userId) return false;
    const flow = await this.flows.get(new TenantScope(caller.companyId), play.flowId);
    return flow !== null && this.rights.mayOnPlay(caller, 'read', play, toFlowUnderAccess(flow));
  }

  private allowed(
    caller: Principal,
    flow: RunnableFlow | null,
    assertState: AssertState,
  ): RunnableFlow | Promise<RunnableFlow> {
    if (!flow) throw new WeftError('not_found', 'There is no such flow.');
    const may = this.rights.may(caller, 'execute', toFlowUnderAccess(flow));
    return may instanceof Promise
      ? may.then((answer) => check(flow, answer, assertState))
      : check(flow, may, assertState);
  }

  /** The flow at the version that a run names, each asked for once; left out, as it is published. */
  private versionsOf(caller: Principal, flow: RunnableFlow): VersionOf {
    const named = new Map<number, Promise<RunnableFlow>>();
    return (version) => {
      if (version === undefined || (version === flow.version && !flow.unpublished)) return flow;
      const asked = named.get(version) ?? this.at(caller, flow, version);
      named.set(version, asked);
      return asked;
    };
  }

  private async at(caller: Principal, flow: RunnableFlow, version: number): Promise<RunnableFlow> {
    const published = flow.unpublished ? null : flow.version;
    if (!(await this.rights.mayRunVersion(caller, version, published, toFlowUnderAccess(flow)))) {
      const detail = `Version ${version} is not the published one: only those who may edit the flow run it.`;
      throw new WeftError('version_not_published', detail);
    }
    await this.versions.assertMayRun(caller, flow.id, version);
    const found = await this.flows.at(flow, version);
    if (found) return found;
    const message = `the flow has no version ${version}`;
    throw new WeftError('unknown_id', `version: ${message}.`, {
      errors: [{ path: 'version', code: 'unknown_id', message }],
    });
  }

  private async insert(
    caller: Principal,
    at: VersionOf,
    order: RunOrder,
    { trigger = 'api', turn }: { readonly trigger?: 'api' | 'mcp'; readonly turn?: InsertTurn | undefined },
  ): Promise<Accepted> {
    const named = at(order.version);
    const flow = named instanceof Promise ? await named : named;
    assertPublished(flow);
    const { idempotencyKey, runAt, delayMs, notAfter, priority, labels, lane } = order;
    const isUploaded = fileIdOf(order.args) !== null;
    const given: RunArgs = isUploaded ? await this.uploaded.read(flow.companyId, order.args) : order;
    const { args, argsRef } = given;
    if (lane !== undefined) await this.lanes.assertMayJoin(caller, flow, { lane, args });
    const by = { trigger: isAgent(caller) ? 'mcp' : trigger, triggeredBy: caller.userId } as const;
    const when = { runAt, delayMs, notAfter, priority, turn };
    const ask = { args, argsRef, idempotencyKey, namedVersion: order.version, labels, lane, ...when, ...by };
    const { play, replayed, continues } = await this.acceptance.accept(flow, ask);
    const mismatch = replayed && !(await this.isSame(play, order, args));
    if (mismatch && order.strict) throw otherRun(play);
    return { play, replayed, mismatch, ...(continues !== undefined && { continues }) };
  }

  /**
   * What a new run of this version or in this lane needs may be gone since the run that a repetition repeats: its key is
   * answered with its play. One that failed would be continued, which is refused as a new run is.
   */
  private async orEarlier(flow: RunnableFlow, order: RunOrder, error: unknown): Promise<Accepted> {
    const { idempotencyKey: key, strict } = order;
    if (key === null || !(error instanceof WeftError) || !OF_NEW_RUNS.has(error.code)) throw error;
    const play = await this.store.holderOf({ company_id: flow.companyId, flowId: flow.id, key });
    if (!play || play.state === 'FAIL') throw error;
    const isUploaded = fileIdOf(order.args) !== null;
    const { args } = isUploaded ? await this.uploaded.read(flow.companyId, order.args) : order;
    const mismatch = !(await this.isSame(play, order, args));
    if (mismatch && strict) throw otherRun(play);
    return { play, replayed: true, mismatch };
  }

  private async isSame(play: Play, order: RunOrder, args: RunArgs['args']): Promise<boolean> {
    return isVersionOf(play, order) && (await hasArgs(play, args, this.payloads));
  }

  private refusalOf(error: unknown): WeftError {
    const refusal = toWeftError(error);
    if (refusal.code === 'internal')
      this.log.error({ component: 'run', err: error }, 'a run of a batch was not accepted');
    return refusal;
  }
}

/** Refusals of what was allowed when an earlier run was accepted. */
const OF_NEW_RUNS: ReadonlySet<string> = new Set([
  'version_not_published',
  'flow_not_published',
  'lane_denied',
  'denied',
]);

/** A thousand of them would keep the process busy for minutes. */
function notInBatch(): WeftError {
  const message = 'A run of a batch cannot refer to its args: run the flow by itself.';
  return new WeftError('invalid_body', message, { errors: [{ path: 'args.$ref', code: 'invalid', message }] });
}

function isVersionOf(play: Play, { version }: RunOrder): boolean {
  return version === undefined || version === play.version;
}

function otherRun({ _id: playId, version }: Play): WeftError {
  const detail = `The play ${playId}, of version ${version}, holds this idempotency key and has other args or another version: send the same ones, or another key.`;
  return new WeftError('idempotency_mismatch', detail, { extra: { playId } });
}

/** A promise only when MongoDB must be read: this is on the run path. */
type VersionOf = (version: number | undefined) => RunnableFlow | Promise<RunnableFlow>;

type AssertState = (flow: RunnableFlow) => void;

function check(flow: RunnableFlow, may: boolean, assertState: AssertState): RunnableFlow {
  if (!may) throw new WeftError('denied', 'You may not execute this flow.');
  assertState(flow);
  return flow;
}

/** Then the plays of the batch get the turns of their lanes in the order of the batch. */
function mayHaveLanes({ settings }: RunnableFlow, orders: readonly (RunOrder | WeftError)[]): boolean {
  return settings.lane != null || orders.some(namesItsLane);
}

/** Another version of the flow may have another lane. */
function namesItsLane(order: RunOrder | WeftError): boolean {
  return !(order instanceof WeftError) && (order.lane !== undefined || order.version !== undefined);
}
