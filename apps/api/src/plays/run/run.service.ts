import { LOG } from '@weft/observability';
import { Inject, Injectable } from '@nestjs/common';
import { PlayAcceptance, assertRunnable, FlowCache, toFlowUnderAccess, type RunnableFlow } from '@weft/runs';
import type { Principal } from '@weft/access';
import { fileIdOf } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { MongoPlayStore, PayloadStore, TenantScope } from '@weft/persistence';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { FlowRights } from '../../flows/flow-rights.js';
import { seesOwnOnly } from '../play-rights.js';
import { toWeftError } from '../../http/problem.js';
import type { RunOrder } from './run.requests.js';
import { UploadedArgs, type RunArgs } from './uploaded-args.js';

export interface Accepted {
  readonly play: Play;
  /** An earlier play holds the key: nothing new was made. */
  readonly replayed: boolean;
  /** True: the earlier play has other args. */
  readonly mismatch: boolean;
}

/** Accepts runs: one insert decides, everything after it may fail without losing the run. */
@Injectable()
export class RunService {
  constructor(
    @Inject(LOG) private readonly log: Logger,
    private readonly flows: FlowCache,
    private readonly rights: FlowRights,
    private readonly acceptance: PlayAcceptance,
    private readonly store: MongoPlayStore,
    private readonly payloads: PayloadStore,
    private readonly uploaded: UploadedArgs,
  ) {}

  /**
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `both_delay_and_date`, `backlog_full`, `idempotency_mismatch`
   */
  async accept(caller: Principal, flowId: string, order: RunOrder, trigger: 'api' | 'mcp' = 'api'): Promise<Accepted> {
    const flow = this.runnable(caller, flowId);
    return this.insert(caller, flow instanceof Promise ? await flow : flow, order, trigger);
  }

  /**
   * Accepts many runs of one flow in few round trips. The refusal of one run takes its place in the result; a fault of the
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
          : fileIdOf(order.args) !== null
            ? notInBatch()
            : this.insert(caller, flow, order).catch((error: unknown) => this.refusalOf(error)),
      ),
    );
    const away = items.find((item) => item instanceof WeftError && item.code === 'store_unavailable');
    if (away instanceof WeftError && items.every((item) => item instanceof WeftError)) throw away;
    return items;
  }

  /** Ids of plays sort in the order in which they were accepted, over all replicas. */
  nextPlayId(): string {
    return this.acceptance.nextPlayId();
  }

  /**
   * Accepts a play that the caller has made (a retry, a rerun) under the same rules as a run: bounded by the backlog, durable
   * before it resolves, admitted by its flow's gate, and rung for. The caller has checked the rights.
   *
   * @param prepared with an id from `nextPlayId`
   * @returns `replayed`: another play holds its key; that one is given, and nothing was inserted
   * @throws WeftError `backlog_full`
   */
  acceptPrepared(prepared: Play): Promise<Omit<Accepted, 'mismatch'>> {
    return this.acceptance.acceptPrepared(prepared);
  }

  /**
   * The flow, if the caller may run it now. A promise only when MongoDB must be read.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`: in the order of docs/http-api.md §1.5
   */
  runnable(caller: Principal, flowId: string): RunnableFlow | Promise<RunnableFlow> {
    const flow = this.flows.get(new TenantScope(caller.companyId), flowId);
    return flow instanceof Promise ? flow.then((found) => this.permitted(caller, found)) : this.permitted(caller, flow);
  }

  /** Whether the caller may read how the play ended: the right to run a flow does not include reading it, and an idempotency key may name another user's play. */
  async mayRead(caller: Principal, play: Pick<Play, 'flowId' | 'triggeredBy'>): Promise<boolean> {
    if (seesOwnOnly(caller, 'GET') && play.triggeredBy !== caller.userId) return false;
    const flow = await this.flows.get(new TenantScope(caller.companyId), play.flowId);
    return flow !== null && this.rights.mayOnPlay(caller, 'read', play, toFlowUnderAccess(flow));
  }

  private permitted(caller: Principal, flow: RunnableFlow | null): RunnableFlow | Promise<RunnableFlow> {
    if (!flow) throw new WeftError('not_found', 'There is no such flow.');
    const may = this.rights.may(caller, 'execute', toFlowUnderAccess(flow));
    return may instanceof Promise ? may.then((answer) => check(flow, answer)) : check(flow, may);
  }

  private async insert(
    caller: Principal,
    flow: RunnableFlow,
    order: RunOrder,
    trigger: 'api' | 'mcp' = 'api',
  ): Promise<Accepted> {
    const { idempotencyKey, runAt, delayMs, notAfter, priority, labels } = order;
    const isUploaded = fileIdOf(order.args) !== null;
    const given: RunArgs = isUploaded ? await this.uploaded.read(flow.companyId, order.args) : order;
    const { args, argsRef } = given;
    const by = { trigger, triggeredBy: caller.userId } as const;
    const ask = { args, argsRef, idempotencyKey, runAt, delayMs, notAfter, priority, labels, ...by };
    const { play, replayed } = await this.acceptance.accept(flow, ask);
    const mismatch = replayed && !(await this.areArgsOf(play, args));
    if (mismatch && order.strict) throw otherArgs(play);
    return { play, replayed, mismatch };
  }

  private async areArgsOf(play: Play, args: RunOrder['args']): Promise<boolean> {
    const known = play.argsRef ? await this.payloads.argsOf(new TenantScope(play.company_id), play) : play.args;
    return isDeepStrictEqual(known, args);
  }

  private refusalOf(error: unknown): WeftError {
    const refusal = toWeftError(error);
    if (refusal.code === 'internal')
      this.log.error({ component: 'run', err: error }, 'a run of a batch was not accepted');
    return refusal;
  }
}

/** A thousand of them would keep the process busy for minutes. */
function notInBatch(): WeftError {
  const message = 'A run of a batch cannot refer to its args: run the flow by itself.';
  return new WeftError('invalid_body', message, { errors: [{ path: 'args.$ref', code: 'invalid', message }] });
}

function otherArgs({ _id: playId }: Play): WeftError {
  const detail = `The play ${playId} holds this idempotency key and has other args: send the same args, or another key.`;
  return new WeftError('idempotency_mismatch', detail, { extra: { playId } });
}

function check(flow: RunnableFlow, may: boolean): RunnableFlow {
  if (!may) throw new WeftError('denied', 'You may not execute this flow.');
  assertRunnable(flow);
  return flow;
}
