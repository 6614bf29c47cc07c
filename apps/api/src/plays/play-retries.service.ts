import { Injectable } from '@nestjs/common';
import { assertArgsFit, acceptRetry, conditionHolds, laneOf, laneRequest } from '@weft/runs';
import type { Principal } from '@weft/access';
import type { PlayState } from '@weft/contracts';
import { acceptPlay, decideRetry, mergeLabels, retryOf, type RetriedPlay, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  firstOf,
  Mongo,
  PayloadStore,
  PlayReadsRepository,
  RetriesRepository,
  TenantScope,
  type RetryLink,
} from '@weft/store';
import { FlowVersionRepository } from '@weft/records';
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
    private readonly chains: RetriesRepository,
  ) {}

  /**
   * Runs the same version and args again: finished layers are taken over, failed ones are called again.
   *
   * @throws WeftError `not_found`, `denied`, `illegal_move`, `retry_the_parent`, `flow_disabled`, `flow_is_blueprint`,
   * `idempotency_key_in_use`, `backlog_full`
   */
  async retry(caller: Principal, playId: string): Promise<Repeated> {
    const scope = new TenantScope(caller.companyId);
    const failed = await this.rights.assertMay(caller, 'control', await this.plays.findWithLayers(scope, playId));
    return this.retryPlay(caller, failed);
  }

  /**
   * @param failed of which the caller has the control
   * @param playId of the new play, which others may be making, too; default: a new id. With one that is stored, nothing is made
   * @throws WeftError as `retry`
   */
  async retryPlay(caller: Principal, failed: RetriedPlay, playId?: string): Promise<Repeated> {
    const scope = new TenantScope(caller.companyId);
    await this.runs.runnable(caller, failed.flowId);
    await this.assertByItself(scope, failed);
    const decision = decideRetry(failed, this.now());
    if (decision.kind === 'refuse') throw illegalMove(failed, decision.why);
    const last = await this.chains.latest(scope, firstOf(failed));
    if (last && last._id !== failed._id && last._id !== playId) throw retriedAlready(failed, last);
    if (decision.kind === 'later') await sleep(decision.waitMs);
    const version = await this.versions.find(scope, failed.flowId, failed.version);
    if (!version) throw new WeftError('not_found', 'The version that this play ran is gone.');
    const request = { playId: playId ?? this.runs.nextPlayId(), triggeredBy: caller.userId, serverNow: this.now() };
    const taken = await acceptRetry(
      retryOf(failed, version, request),
      { payloads: this.payloads, acceptance: this.runs },
      { hasSharedId: playId !== undefined },
    );
    if (!taken)
      throw new WeftError('not_found', 'Outputs or args of this play are not kept any more: run the flow again.');
    if (taken.replayed) throw retriedAlready(failed, taken.play);
    return repeated(taken.play);
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

  /** @throws WeftError `retry_the_parent` */
  private async assertByItself(scope: TenantScope, play: RetriedPlay): Promise<void> {
    const parent = await this.chains.retriedThrough(scope, play);
    if (!parent) return;
    const message = `The play ${parent._id} waits for this one, or has taken how it ended: retry that one when it has failed. Its retry runs again what failed here.`;
    throw new WeftError('retry_the_parent', message, { extra: { parentPlayId: parent._id } });
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }
}

/** @param by the retry of the play, or of that, or another play with its key */
function retriedAlready(failed: RetriedPlay, { _id: playId, key, state, chain }: RetryLink): WeftError {
  const hasKey = key !== undefined && state !== 'FAIL';
  if (hasKey || chain?.first !== firstOf(failed)) {
    const message = `The play ${playId} holds the idempotency key of this one: it is open or DONE.`;
    return new WeftError('idempotency_key_in_use', message, { extra: { playId } });
  }
  const message = `The play ${playId} is its retry${state === 'FAIL' ? ', and has failed: retry that one' : ''}.`;
  return new WeftError('illegal_move', message, { extra: { state: failed.state, playId } });
}

/** A NEW play is as good as running: docs/http-api.md §4. */
function repeated(play: Play): Repeated {
  return { playId: play._id, state: play.state === 'NEW' ? 'RUN' : play.state, retryOf: play.retryOf ?? '' };
}
