import { FairSemaphore } from '@weft/concurrency';
import { isFinal, limitKeyOf } from '@weft/contracts';
import { acceptPlay, underLimit, type Play, type RunRequest } from '@weft/engine';
import { WeftError, createIdSource, type NewId } from '@weft/kernel';
import {
  OpenPlaysRepository,
  PayloadStore,
  type TurnRepository,
  TenantScope,
  type Mongo,
  type MongoPlayStore,
  type WindowPlaysRepository,
} from '@weft/store';
import { type FlowVersionRepository } from '@weft/records';
import { AdmissionWindow, type Doorbell, type TurnKeeper, type WindowRefiller } from '@weft/queue';
import { Tracing } from '@weft/observability';
import type { PlayNotices } from '@weft/realtime-bus';
import { Sandbox } from '@weft/sandbox';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { assertArgsFit } from './assert-args-fit.js';
import type { JsonSchema } from '@weft/json-schema';
import { acceptanceWarnings } from './acceptance-warnings.js';
import { Backlog, restingMax } from './backlog.js';
import type { CompanyLimits } from './company-limits.js';
import type { CompanyRates } from './company-rates.js';
import type { FlowCache, RunnableFlow } from './flow-cache.js';
import type { ComputingDeps } from './compute-expressions.js';
import { continueFailed, type ContinueDeps } from './continue-failed.js';
import { conditionHolds } from './flow-condition.js';
import { acceptWithArgs } from './large-args.js';
import { AdmissionDispatcher } from './admission-dispatcher.js';
import { keyOfLimit, laneOf } from './queue-names.js';
import { inTurn } from './insert-turns.js';
import { holdsAsFailed, type AcceptedRun, type RunInput } from './run-input.js';
import { isPast, laneRequest, requestOf } from './run-request.js';
import { withOrigin } from './with-origin.js';
import type { WindowSizes } from './window-sizes.js';

export interface PlayAcceptanceDeps {
  readonly limits: CompanyLimits;
  readonly rates: Pick<CompanyRates, 'take'>;
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly flows: FlowCache;
  /** For retries of failed plays whose runs are repeated. */
  readonly versions: Pick<FlowVersionRepository, 'find'>;
  readonly store: MongoPlayStore;
  readonly doorbell: Doorbell;
  readonly window: AdmissionWindow;
  readonly refiller: WindowRefiller;
  readonly windowPlays: Pick<WindowPlaysRepository, 'mark'>;
  readonly windowSizes: Pick<WindowSizes, 'onceKnown'>;
  readonly plays: Pick<OpenPlaysRepository, 'countWaiting' | 'countDue' | 'countNotYetDue' | 'countResting'>;
  readonly turns: Pick<TurnRepository, 'countWaiting'>;
  readonly turnKeeper: Pick<TurnKeeper, 'goOn'>;
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

const UNNAMED: ReadonlySet<string> = new Set(['invalid_lane', 'invalid_limit_key']);
/** Failed plays whose runs are repeated; a batch may have a thousand. */
const CONTINUED_AT_ONCE = 8;
/** So often a key may go from one failed play to the next while one run is accepted; usually it does so once. */
const MOST_HOLDERS = 10;

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
  private readonly continuing: ContinueDeps;

  constructor(private readonly deps: PlayAcceptanceDeps) {
    const {
      mongo,
      doorbell,
      window,
      refiller,
      windowPlays,
      windowSizes,
      plays,
      turns,
      sandbox,
      limits,
      payloads,
      versions,
    } = deps;
    this.warnings = acceptanceWarnings(deps.log);
    const serverNow = () => mongo.serverNow();
    this.conditionDeps = { sandbox, now: serverNow };
    this.nextPlayId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    const self = { acceptPrepared: (retry: Play) => this.acceptMade(retry, 1) };
    const places = new FairSemaphore(CONTINUED_AT_ONCE);
    this.continuing = {
      payloads,
      versions,
      places,
      store: deps.store,
      serverNow,
      nextPlayId: this.nextPlayId,
      acceptance: self,
    };
    this.backlog = new Backlog(
      (companyId) => limits.backlogMax(companyId),
      async (companyId) => {
        const backlogMax = limits.backlogMax(companyId);
        const now = new Date(serverNow());
        const [outsideWindow, inQueues, due, delayed, resting] = await Promise.all([
          plays.countWaiting(companyId, backlogMax),
          turns.countWaiting(companyId, backlogMax),
          plays.countDue(companyId, now, backlogMax),
          plays.countNotYetDue(companyId, now, backlogMax),
          plays.countResting(companyId, restingMax(backlogMax)),
        ]);
        return { waiting: outsideWindow + inQueues + due, delayed, resting };
      },
      (companyId) => this.dispatcher.waitingHere(companyId),
    );
    this.dispatcher = new AdmissionDispatcher(window, doorbell, refiller, {
      windowSizes: () => windowSizes.onceKnown(),
      mark: (jobs) => windowPlays.mark(jobs),
      onMarked: (companyId, marked) => this.backlog.add(companyId, 'waits', marked),
      onNotRung: (count, err) => this.warnings.notRung(err, count),
    });
  }

  /**
   * @param flow that `assertRunnable` let through
   * @throws WeftError `both_delay_and_date`, `invalid_args`, `backlog_full`, `too_many_runs`, `storage_full`, `condition_failed`, `invalid_lane`, `invalid_limit_key`
   */
  accept(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    return this.countRefusal(this.acceptAtRate(flow, input));
  }

  private async acceptAtRate(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    // what a play starts is a part of the run that it comes from
    const taken = input.parent ? undefined : this.deps.rates.take(flow.companyId);
    if (taken) await taken;
    return this.acceptUncounted(flow, input);
  }

  /**
   * The same for a run that is tried again until it is accepted: refusals are not counted as runs that were refused, and the rate of
   * the company does not bound it.
   */
  async acceptUncounted(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    if (input.delayMs != null && input.runAt != null) {
      throw new WeftError('both_delay_and_date', 'Give delayMs or runAt, not both.');
    }
    const request = requestOf(flow, input, this.continuing);
    let takesKeyOf: string | undefined;
    for (let attempt = 1; attempt <= MOST_HOLDERS; attempt += 1) {
      const accepted = await this.acceptOnce(flow, input, request, takesKeyOf);
      if (!holdsAsFailed(accepted)) return accepted;
      const failed = accepted.play;
      const continued = isPast(request) ? null : await continueFailed(failed, input, request, this.continuing);
      if (continued && !holdsAsFailed(continued)) return continued;
      // another run, which takes the key; or something else has gone on with the failed play meanwhile
      takesKeyOf = continued ? undefined : failed._id;
    }
    throw new Error(`the idempotency key of play ${request.playId} is given from play to play again and again`);
  }

  /** @param takesKeyOf a failed play, of another run with the key */
  private async acceptOnce(
    flow: RunnableFlow,
    input: RunInput,
    request: RunRequest,
    takesKeyOf: string | undefined,
  ): Promise<AcceptedRun> {
    const askedAtMs = performance.now();
    const asked = acceptPlay(request);
    const holder = flow.argsSchema ? await this.judgeArgs(flow.argsSchema, asked, takesKeyOf) : null;
    if (holder) return { play: holder, replayed: true };
    this.backlog.assertRoom(flow.companyId, { isDelayed: request.dueAt !== null, isAwaited: isAwaited(input) });
    const holds = conditionHolds(flow, input.args, this.conditionDeps);
    const takesPlace = !isPast(request) && (holds instanceof Promise ? await holds : holds);
    const accepted = takesPlace
      ? await this.storeQueued(flow, input, request, asked, takesKeyOf)
      : await this.skip(asked, acceptPlay({ ...request, skipped: true }), input, takesKeyOf);
    if (!accepted.replayed && !accepted.wasThere) this.afterInsert(accepted.play, askedAtMs);
    return accepted;
  }

  /** Records a run that does not take place: its play is SKIP. The backlog does not bound it, because it never waits. */
  async acceptSkipped(flow: RunnableFlow, input: RunInput): Promise<AcceptedRun> {
    const askedAtMs = performance.now();
    const accepted = await this.store(acceptPlay({ ...requestOf(flow, input, this.continuing), skipped: true }));
    if (!accepted.wasThere) this.afterInsert(accepted.play, askedAtMs);
    return accepted;
  }

  /**
   * Accepts a play that the caller has made (a retry, a rerun), under the same rules as a run.
   *
   * @param prepared with an id from `nextPlayId`
   * @throws WeftError `backlog_full`, `too_many_runs`, `storage_full`
   */
  acceptPrepared(prepared: Play): Promise<AcceptedRun> {
    return this.countRefusal(this.acceptPreparedAtRate(prepared));
  }

  private async acceptPreparedAtRate(prepared: Play): Promise<AcceptedRun> {
    const taken = prepared.parent ? undefined : this.deps.rates.take(prepared.company_id);
    if (taken) await taken;
    return this.acceptMade(prepared);
  }

  /** @param mostHolders of its key that may have failed: it takes the key of each, the first one being the play that it retries */
  private async acceptMade(prepared: Play, mostHolders = MOST_HOLDERS): Promise<AcceptedRun> {
    this.backlog.assertRoom(prepared.company_id, {
      isDelayed: prepared.dueAt !== undefined,
      isAwaited: isAwaited(prepared),
    });
    const flow = await this.deps.flows.get(new TenantScope(prepared.company_id), prepared.flowId);
    const askedAtMs = performance.now();
    const play = underLimit(prepared, flow && (await this.limitKeyOf(flow, prepared)));
    let accepted = await this.store(play, {}, prepared.retryOf);
    // a retry of the same play keeps the place, whoever has the key
    const mayGiveKey = () => holdsAsFailed(accepted) && accepted.play.retryOf !== play.retryOf;
    for (let holders = 1; mayGiveKey() && holders < mostHolders; holders += 1)
      accepted = await this.store(play, {}, accepted.play._id);
    if (!accepted.replayed && !accepted.wasThere) this.afterInsert(accepted.play, askedAtMs);
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

  /**
   * The key of the flow's limit for a play that was made of another one; null: the flow has no limit. It stays, as its lane does, unless
   * the limit has got a key, or none, since.
   *
   * @throws WeftError `invalid_limit_key`
   */
  private async limitKeyOf(flow: RunnableFlow, play: Play): Promise<string | null> {
    const hasKey = limitKeyOf(flow.settings.concurrency) !== null;
    if (hasKey && play.limitKey) return play.limitKey;
    const args = hasKey ? await this.deps.payloads.argsOf(new TenantScope(play.company_id), play) : {};
    return keyOfLimit(flow, args, this.conditionDeps);
  }

  /**
   * The key of the concurrency limit for a run, empty without one; null: the flow has no limit. A promise only when the flow computes it.
   *
   * @throws WeftError `invalid_limit_key`
   */
  keyOfLimit(flow: RunnableFlow, { args }: Pick<RunInput, 'args'>): string | null | Promise<string | null> {
    return keyOfLimit(flow, args, this.conditionDeps);
  }

  /** A run that cannot be given a lane, or a key, is refused, unless a play holds its key. */
  private async storeQueued(
    flow: RunnableFlow,
    input: RunInput,
    request: RunRequest,
    asked: Play,
    takesKeyOf: string | undefined,
  ): Promise<AcceptedRun> {
    const { lane: setting, concurrency } = flow.settings;
    if (input.lane == null && setting == null && concurrency === null) return this.store(asked, input, takesKeyOf);
    try {
      const lane = laneRequest(flow, await this.laneOf(flow, input));
      const limitKey = await this.keyOfLimit(flow, input);
      return await this.store(acceptPlay({ ...request, lane, limitKey }), input, takesKeyOf);
    } catch (error) {
      const isOfName = error instanceof WeftError && UNNAMED.has(error.code);
      const holder = isOfName && (await this.holderOf(asked, takesKeyOf));
      if (!holder) throw error;
      return { play: holder, replayed: true };
    }
  }

  /**
   * The flow may have got another schema since the run that a repetition repeats: a key is answered with its play, whatever
   * the args.
   *
   * @returns null: the args fit
   * @throws WeftError `invalid_args` when no play holds the key
   */
  private async judgeArgs(schema: JsonSchema, asked: Play, takesKeyOf: string | undefined): Promise<Play | null> {
    try {
      assertArgsFit(schema, asked.args);
      return null;
    } catch (error) {
      const holder = await this.holderOf(asked, takesKeyOf);
      if (!holder) throw error;
      return holder;
    }
  }

  /** @param but a failed play of another run */
  private async holderOf(asked: Play, but: string | undefined): Promise<Play | null> {
    const holder = asked.key === undefined ? null : await this.deps.store.holderOf(asked);
    return holder && holder._id !== but ? holder : null;
  }

  /** A run whose condition is false does not bind its idempotency key, but is answered with the play that the key is bound to. */
  private async skip(asked: Play, skipped: Play, input: RunInput, takesKeyOf?: string): Promise<AcceptedRun> {
    const holder = await this.holderOf(asked, takesKeyOf);
    return holder ? { play: holder, replayed: true } : this.store(skipped, input);
  }

  /** Resolves when everything that follows the accepted plays is done, or left to the reconciler. */
  settled(): Promise<void> {
    return this.dispatcher.settled();
  }

  private store(
    play: Play,
    { argsRef: uploaded, turn }: Pick<RunInput, 'argsRef' | 'turn'> = {},
    takesKeyOf?: string,
  ): Promise<AcceptedRun> {
    const { payloads, tracing } = this.deps;
    const inserts = { accept: (of: Play) => this.deps.store.accept(of, takesKeyOf) };
    const store = turn ? inTurn(inserts, turn) : inserts;
    const { argsNotAdopted: onNotAdopted } = this.warnings;
    // no second write marks it then
    const isMarked = play.state === 'NEW' && this.dispatcher.isFull(play.company_id);
    const placed = isMarked ? { ...play, ready: true as const } : play;
    return withOrigin(placed, tracing, (of) => acceptWithArgs(of, { store, payloads, onNotAdopted }, uploaded));
  }

  /** Does what follows an insert, without delaying the answer. */
  private afterInsert(play: Play, askedAtMs: number): void {
    const { _id: playId, company_id: companyId, flowId, epoch } = play;
    // one that starts at once is shown with its first write; of a slot that was missed, the id may be old
    if (play.state !== 'NEW' || play.trigger === 'schedule') this.deps.notices.announce(companyId, playId, play.seq);
    if (play.state === 'NEW') {
      const isMarked = play.ready === true;
      this.backlog.add(companyId, isMarked ? 'waits' : 'begins');
      const job = { playId, companyId, flowId, epoch };
      this.dispatcher.dispatch({ job, priority: play.priority, isMarked, askedAtMs });
    } else if (play.queues?.[0] !== undefined) {
      this.backlog.add(companyId, 'waits');
      const [queue] = play.queues;
      this.deps.turnKeeper.goOn({ companyId, queue }).catch((err: unknown) => this.warnings.queueNotMoved(err));
    } else if (play.dueAt) {
      this.backlog.add(companyId, 'isDelayed');
    } else if (isFinal(play.state)) {
      this.deps.onSkipped(play);
    }
  }
}

/** A play that rests waits for the end of the one that is made: it would rest for ever if that were refused. */
function isAwaited({ parent }: Pick<RunInput, 'parent'>): boolean {
  return parent?.awaited === true;
}
