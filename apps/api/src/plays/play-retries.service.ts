import { Injectable } from '@nestjs/common';
import {
  assertArgsFit,
  acceptRetry,
  canReadFirstRetry,
  conditionHolds,
  laneOf,
  laneRequest,
  type RetryTerms,
} from '@weft/runs';
import type { Principal } from '@weft/access';
import type { PlayState } from '@weft/contracts';
import { acceptPlay, decideRetry, mergeLabels, retryOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  ChildPlaysRepository,
  FlowVersionRepository,
  Mongo,
  PayloadStore,
  PlayReadsRepository,
  TenantScope,
} from '@weft/persistence';
import { Sandbox } from '@weft/sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunService } from './run/run.service.js';
import { UploadedArgs } from './run/uploaded-args.js';
import { illegalMove } from './play-commander.js';
import { PlayRights } from './play-rights.js';

export interface Repeated {
  readonly playId: string;
  readonly state: PlayState;
  readonly retryOf: string;
}

/** Inserts of a retry that is to be the first one. A second goes by before the last has been refused for good. */
const FIRST_ATTEMPTS = 2;

export interface PlayRetryTerms extends Pick<RetryTerms, 'onlyFirst'> {
  readonly playId?: string | undefined;
}

/** Makes new plays of old ones, which stay as they are. Runs are not audited: the new play names the old one. */
@Injectable()
export class PlayRetriesService {
  constructor(
    private readonly mongo: Mongo,
    private readonly plays: PlayReadsRepository,
    private readonly versions: FlowVersionRepository,
    private readonly payloads: PayloadStore,
    private readonly runs: RunService,
    private readonly rights: PlayRights,
    private readonly sandbox: Sandbox,
    private readonly uploaded: UploadedArgs,
    private readonly children: ChildPlaysRepository,
  ) {}

  /**
   * Runs the same version and args again: finished layers are taken over, failed ones are called again.
   *
   * @throws WeftError `not_found`, `denied`, `illegal_move`, `flow_disabled`, `flow_is_blueprint`, `idempotency_key_in_use`,
   * `backlog_full`
   */
  async retry(caller: Principal, playId: string): Promise<Repeated> {
    const scope = new TenantScope(caller.companyId);
    const failed = await this.rights.assertMay(caller, 'control', await this.plays.findWithLayers(scope, playId));
    return this.retryPlay(caller, failed);
  }

  /**
   * @param failed of which the caller has the control
   * @param playId of the new play, which others may be making, too; default: a new id. With one that is stored, nothing is made
   * @throws WeftError as `retry`; with `onlyFirst` also `illegal_move`: it has been retried · `store_unavailable`: maybe it has
   */
  async retryPlay(caller: Principal, failed: Play, { playId, onlyFirst }: PlayRetryTerms = {}): Promise<Repeated> {
    const flow = await this.runs.runnable(caller, failed.flowId);
    const decision = decideRetry(failed, this.now());
    if (decision.kind === 'refuse') throw illegalMove(failed, decision.why);
    if (decision.kind === 'later') await sleep(decision.waitMs);
    const version = await this.versions.find(new TenantScope(flow.companyId), failed.flowId, failed.version);
    if (!version) throw new WeftError('not_found', 'The version that this play ran is gone.');
    const request = { playId: playId ?? this.runs.nextPlayId(), triggeredBy: caller.userId, serverNow: this.now() };
    const play = retryOf(failed, version, request);
    for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt += 1) {
      const retry = await this.acceptRetry(play, { onlyFirst, hasSharedId: playId !== undefined });
      if (retry) return retry;
      // what cannot be read yet may be lost by a failover: then nobody would have retried the play
      if (await canReadFirstRetry(failed, this.children)) throw illegalMove(failed, 'The play has been retried.');
    }
    throw new WeftError('store_unavailable', 'Another retry of the play is being stored, and may still be lost.');
  }

  /**
   * Runs the current flow, including its condition, with the args of the old play or new ones. The new play has no
   * idempotency key, because the key is bound to the old play.
   *
   * @throws WeftError `not_found`, `denied`, `flow_disabled`, `flow_is_blueprint`, `invalid_lane`, `backlog_full`
   */
  async rerun(caller: Principal, playId: string, args?: Play['args']): Promise<Repeated> {
    const scope = new TenantScope(caller.companyId);
    const old = await this.rights.assertMay(caller, 'control', await this.plays.find(scope, playId));
    const flow = await this.runs.runnable(caller, old.flowId);
    const wanted = args
      ? (await this.uploaded.read(caller.companyId, args)).args
      : await this.payloads.argsOf(scope, old);
    assertArgsFit(flow.argsSchema, wanted);
    const deps = { sandbox: this.sandbox, now: () => this.mongo.serverNow() };
    // a lane that the run named stays, unless other args may mean another one
    const lane = args
      ? ((await laneOf(flow, wanted, deps)) ?? old.lane)
      : (old.lane ?? (await laneOf(flow, wanted, deps)));
    const play = acceptPlay({
      playId: this.runs.nextPlayId(),
      companyId: flow.companyId,
      flowId: flow.id,
      version: flow.version,
      args: wanted,
      idempotencyKey: null,
      dueAt: null,
      trigger: 'rerun',
      triggeredBy: caller.userId,
      priority: old.priority,
      labels: mergeLabels(old.labels, flow.settings.labels),
      timeoutMs: flow.settings.timeoutMs,
      retryOf: old._id,
      onFailure: flow.settings.onFailure,
      handlesFailureOf: old.handlesFailureOf,
      lane: laneRequest(flow, lane ?? null),
      skipped: !(await conditionHolds(flow, wanted, deps)),
      serverNow: this.now(),
    });
    return repeated((await this.runs.acceptPrepared(play)).play);
  }

  /** Null: a retry was made before, and this one was to be the first. */
  private async acceptRetry(play: Play, terms: RetryTerms): Promise<Repeated | null> {
    const taken = await acceptRetry(play, { payloads: this.payloads, acceptance: this.runs }, terms);
    if (!taken)
      throw new WeftError('not_found', 'Outputs or args of this play are not kept any more: run the flow again.');
    const { play: accepted, replayed, wasRetried } = taken;
    if (replayed) {
      throw new WeftError(
        'idempotency_key_in_use',
        `The play ${accepted._id} holds the idempotency key of this one: it is open or DONE.`,
        { extra: { playId: accepted._id } },
      );
    }
    return wasRetried ? null : repeated(accepted);
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }
}

/** A NEW play is as good as running: docs/http-api.md §4. */
function repeated(play: Play): Repeated {
  return { playId: play._id, state: play.state === 'NEW' ? 'RUN' : play.state, retryOf: play.retryOf ?? '' };
}
