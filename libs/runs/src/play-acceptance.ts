import { isFinal } from '@weft/contracts';
import { acceptPlay, mergeLabels, type LaneRequest, type Play, type RunRequest } from '@weft/engine';
import { WeftError, createIdSource, type NewId } from '@weft/kernel';
import {
  OpenPlaysRepository,
  PayloadStore,
  type LaneRepository,
  TenantScope,
  type Mongo,
  type MongoPlayStore,
} from '@weft/persistence';
import { FlowGatekeeper, LiveWorkers, AdmissionWindow, type Doorbell, type LaneKeeper } from '@weft/queue';
import { Tracing } from '@weft/observability';
import type { PlayNotices } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { assertArgsFit } from './args-schema/args-faults.js';
import type { ArgsSchema } from './args-schema/schema-faults.js';
import { acceptanceWarnings } from './acceptance-warnings.js';
import { Backlog } from './backlog.js';
import type { CompanyLimits } from './company-limits.js';
import type { FlowCache, RunnableFlow } from './flow-cache.js';
import type { ComputingDeps } from './compute-expressions.js';
import { conditionHolds } from './flow-condition.js';
import { acceptWithArgs } from './large-args.js';
import { AdmissionDispatcher } from './admission-dispatcher.js';
import { dueAtOf } from './due-at.js';
import { laneOf } from './flow-lane.js';
import { inTurn } from './insert-turns.js';
import { isLimited, limited } from './limited-plays.js';
import type { AcceptedRun, RunInput } from './run-input.js';
import { withOrigin } from './with-origin.js';

export interface PlayAcceptanceDeps {
  readonly limits: CompanyLimits;
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly flows: FlowCache;
  readonly store: MongoPlayStore;
  readonly doorbell: Doorbell;
  readonly window: AdmissionWindow;
  readonly liveWorkers: Pick<LiveWorkers, 'windowSizeOnceKnown'>;
  readonly plays: Pick<OpenPlaysRepository, 'countQueued' | 'countDue' | 'countNotYetDue'>;
  readonly gatekeeper: Pick<FlowGatekeeper, 'admit'>;
  readonly lanes: Pick<LaneRepository, 'countWaiting'>;
  readonly laneKeeper: Pick<LaneKeeper, 'goOn'>;
  readonly notices: PlayNotices;
  readonly log: Logger;
  /** Called with each play that ended in SKIP: by the flow's condition, or by its schedule. */
  readonly onSkipped: (play: Play) => void;
  /** Called with the error code of each run that is refused. */
  readonly onRefused: (code: string) => void;
  /** Evaluates conditions that are more than a path. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly tracing: Tracing;
  /** Stores large args. */
  readonly payloads: PayloadStore;
}

/**
 * Accepts plays. One insert decides; everything after it (admission, ring, notice) may fail without losing the play. Runs of
 * callers, of schedules and of other flows are treated alike: they are subject to the company's backlog bound and window, and
 * to the flow's condition and concurrency limit. The caller of this class has checked the right to execute the flow.
 */
export class PlayAcceptance {
  /** Play ids sort in the order of acceptance over all processes, because all use MongoDB's clock. */
  readonly nextPlayId: NewId;
  private readonly dispatcher: AdmissionDispatcher;
  private readonly backlog: Backlog;
  private readonly conditionDeps: ComputingDeps;
  private readonly warnings: ReturnType<typeof acceptanceWarnings>;

  constructor(private readonly deps: PlayAcceptanceDeps) {
    const { mongo, doorbell, window, liveWorkers, plays, lanes, sandbox, limits } = deps;
    this.warnings = acceptanceWarnings(deps.log);
    const serverNow = () => mongo.serverNow();
    this.conditionDeps = { sandbox, now: serverNow };
    this.nextPlayId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    this.backlog = new Backlog(
      (companyId) => limits.backlogMax(companyId),
      async (companyId) => {
        const backlogMax = limits.backlogMax(companyId);
        const now = new Date(serverNow());
        const [{ waiting: outsideWindow }, inGates, inLanes, due, delayed] = await Promise.all([
          window.stateOf(companyId),
          plays.countQueued(companyId, backlogMax),
          lanes.countWaiting(companyId, backlogMax),
          plays.countDue(companyId, now, backlogMax),
          plays.countNotYetDue(companyId, now, backlogMax),
        ]);
        return { outsideWindow, queued: inGates + inLanes, due, delayed };
      },
    );
    this.dispatcher = new AdmissionDispatcher(window, doorbell, {
      windowSize: () => liveWorkers.windowSizeOnceKnown(),
      onWaiting: (companyId, waiting) => this.backlog.setOutsideWindow(companyId, waiting),
      onNotRung: (count, err) => this.warnings.notRung(err, count),
    });
  }

  /**
   * @param flow that `assertRunnable` let through
   * @throws WeftError `both_delay_and_date`, `invalid_args`, `backlog_full`, `condition_failed`, `invalid_lane`
   */
  accept(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    return this.countRefusal(this.acceptUncounted(flow, input));
  }

  /** The same for a run that is tried again until it is accepted: refusals are not counted as runs that were refused. */
  async acceptUncounted(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    if (input.delayMs != null && input.runAt != null) {
      throw new WeftError('both_delay_and_date', 'Give delayMs or runAt, not both.');
    }
    const askedAtMs = performance.now();
    const request = this.requestOf(flow, input);
    const asked = acceptPlay(request);
    const holder = flow.argsSchema ? await this.judgeArgs(flow.argsSchema, asked) : null;
    if (holder) return { play: holder, replayed: true };
    this.backlog.assertRoom(flow.companyId, request.dueAt !== null);
    const holds = conditionHolds(flow, input.args, this.conditionDeps);
    const isLate = request.notAfter && request.notAfter < request.serverNow;
    const takesPlace = !isLate && (holds instanceof Promise ? await holds : holds);
    const accepted = takesPlace
      ? await this.storeInLane(flow, input, request, asked)
      : await this.skip(asked, acceptPlay({ ...request, skipped: true }), input);
    if (!accepted.replayed && !accepted.wasThere) this.afterInsert(accepted.play, askedAtMs);
    return accepted;
  }

  /** Records a run that does not take place: its play is SKIP. The backlog does not bound it, because it never waits. */
  async acceptSkipped(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    const askedAtMs = performance.now();
    const accepted = await this.store(acceptPlay({ ...this.requestOf(flow, input), skipped: true }));
    if (!accepted.wasThere) this.afterInsert(accepted.play, askedAtMs);
    return accepted;
  }

  /**
   * Accepts a play that the caller has made (a retry, a rerun), under the same rules as a run.
   *
   * @param prepared with an id from `nextPlayId`
   * @throws WeftError `backlog_full`
   */
  acceptPrepared(prepared: Play): Promise<AcceptedRun> {
    return this.countRefusal(this.acceptMade(prepared));
  }

  private async acceptMade(prepared: Play): Promise<AcceptedRun> {
    this.backlog.assertRoom(prepared.company_id, prepared.dueAt !== undefined);
    const flow = await this.deps.flows.get(new TenantScope(prepared.company_id), prepared.flowId);
    const askedAtMs = performance.now();
    const accepted = await this.store(isLimited(flow) ? limited(prepared) : prepared);
    if (!accepted.replayed && !accepted.wasThere && !accepted.wasRetried) this.afterInsert(accepted.play, askedAtMs);
    return accepted;
  }

  private countRefusal(accepted: Promise<AcceptedRun>): Promise<AcceptedRun> {
    return accepted.catch((error: unknown) => {
      if (error instanceof WeftError) this.deps.onRefused(error.code);
      throw error;
    });
  }

  /**
   * The lane that the play of a run will wait in; null: none. A promise only when the flow computes it.
   *
   * @throws WeftError `invalid_lane`
   */
  laneOf(flow: RunnableFlow, { lane, args }: Pick<RunInput, 'lane' | 'args'>): string | null | Promise<string | null> {
    return lane ?? laneOf(flow, args, this.conditionDeps);
  }

  /** A run that cannot be given a lane is refused, unless a play holds its key. */
  private async storeInLane(
    flow: RunnableFlow,
    input: RunInput,
    request: RunRequest,
    asked: Play,
  ): Promise<AcceptedRun> {
    if (input.lane == null && flow.settings.lane == null) return this.store(asked, input);
    try {
      const lane = laneRequest(flow, await this.laneOf(flow, input));
      return await this.store(acceptPlay({ ...request, lane }), input);
    } catch (error) {
      const holder = error instanceof WeftError && error.code === 'invalid_lane' && (await this.holderOf(asked));
      if (!holder) throw error;
      return { play: holder, replayed: true };
    }
  }

  private requestOf(flow: RunnableFlow, input: RunInput): RunRequest {
    const serverNow = new Date(this.deps.mongo.serverNow());
    return {
      playId: input.playId ?? this.nextPlayId(),
      companyId: flow.companyId,
      flowId: flow.id,
      version: flow.version,
      args: input.args,
      idempotencyKey: input.idempotencyKey ?? null,
      dueAt: dueAtOf(input, serverNow),
      notAfter: input.notAfter,
      hasSeries: flow.hasSeries,
      usesLink: flow.usesLink,
      trigger: input.trigger,
      triggeredBy: input.triggeredBy,
      serverNow,
      priority: input.priority,
      labels: mergeLabels(input.labels, flow.settings.labels, input.parentLabels),
      timeoutMs: flow.settings.timeoutMs,
      limited: isLimited(flow),
      parentPlayId: input.parentPlayId,
      parent: input.parent,
      awaited: input.awaited,
      onFailure: flow.settings.onFailure,
      handlesFailureOf: input.handlesFailureOf,
    };
  }

  /**
   * The flow may have got another schema since the run that a repetition repeats: a key is answered with its play, whatever
   * the args.
   *
   * @returns null: the args fit
   * @throws WeftError `invalid_args` when no play holds the key
   */
  private async judgeArgs(schema: ArgsSchema, asked: Play): Promise<Play | null> {
    try {
      assertArgsFit(schema, asked.args);
      return null;
    } catch (error) {
      const holder = await this.holderOf(asked);
      if (!holder) throw error;
      return holder;
    }
  }

  private async holderOf(asked: Play): Promise<Play | null> {
    return asked.key === undefined ? null : this.deps.store.holderOf(asked);
  }

  /** A run whose condition is false does not bind its idempotency key, but is answered with the play that the key is bound to. */
  private async skip(asked: Play, skipped: Play, input: RunInput): Promise<AcceptedRun> {
    const holder = await this.holderOf(asked);
    return holder ? { play: holder, replayed: true } : this.store(skipped, input);
  }

  /** Resolves when everything that follows the accepted plays is done, or left to the reconciler. */
  settled(): Promise<void> {
    return this.dispatcher.settled();
  }

  private store(
    play: Play,
    { argsRef: uploaded, turn }: Pick<RunInput, 'argsRef' | 'turn'> = {},
  ): Promise<AcceptedRun> {
    const { payloads, tracing } = this.deps;
    const store = turn ? inTurn(this.deps.store, turn) : this.deps.store;
    const { argsNotAdopted: onNotAdopted } = this.warnings;
    return withOrigin(play, tracing, (of) => acceptWithArgs(of, { store, payloads, onNotAdopted }, uploaded));
  }

  /** Does what follows an insert, without delaying the answer. */
  private afterInsert(play: Play, askedAtMs: number): void {
    const { _id: playId, company_id: companyId, flowId, epoch } = play;
    // one that starts at once is shown with its first write; of a slot that was missed, the id may be old
    if (play.state !== 'NEW' || play.trigger === 'schedule') this.deps.notices.announce(companyId, playId, play.seq);
    if (play.state === 'NEW') {
      this.backlog.addOutsideWindow(companyId);
      this.dispatcher.dispatch({ playId, companyId, flowId, epoch }, play.priority, askedAtMs);
    } else if (play.laneQueued && play.lane !== undefined) {
      this.backlog.addQueued(companyId);
      this.deps.laneKeeper.goOn({ companyId, lane: play.lane }).catch((err: unknown) => this.warnings.notAdmitted(err));
    } else if (play.queued) {
      this.backlog.addQueued(companyId);
      this.deps.gatekeeper.admit({ companyId, flowId }).catch((err: unknown) => this.warnings.notAdmitted(err));
    } else if (play.dueAt) {
      this.backlog.addDelayed(companyId);
    } else if (isFinal(play.state)) {
      this.deps.onSkipped(play);
    }
  }
}

/** What the flow says of the plays in a lane. */
export function laneRequest({ settings }: Pick<RunnableFlow, 'settings'>, lane: string | null): LaneRequest | null {
  return lane === null ? null : { name: lane, stopsOnFail: settings.onLaneFail === 'stop' };
}
