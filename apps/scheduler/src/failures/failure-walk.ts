/**
 * Starts a play for each failed play whose flow has `settings.onFailure` (docs/protocol.md §6 "Failures"). Any number of
 * schedulers do so in parallel, and a process may die after each step:
 *
 * 1. Claim: a write on the failed play fixes the id of the play to start.
 * 2. Accept it under that id, by the same rules as every run. A second insert has no effect.
 * 3. Settle: the failed play is not pending any more.
 *
 * Companies take turns, so that a company with any number of failures delays no other one.
 */
import { CompanyRounds, type CompanyStep } from '@weft/concurrency';
import { failureArgs, INLINE_OUTPUT_BYTES, startsHandler } from '@weft/engine';
import { madeAt, WeftError } from '@weft/kernel';
import {
  isStoreUnavailable,
  SystemScope,
  TenantScope,
  type FailedPlaysRepository,
  type PayloadStore,
  type PendingFailure,
} from '@weft/store';
import { assertRunnable, OWN_KEYS, type FlowCache, type PlayAcceptance } from '@weft/runs';
import { inParallel } from '../in-parallel.js';
import { RestingPlays } from '../resting-plays.js';

export interface FailureWalkDeps {
  readonly plays: Pick<FailedPlaysRepository, 'nextCompany' | 'pending' | 'claim' | 'isStored' | 'settle' | 'giveUp'>;
  readonly flows: Pick<FlowCache, 'get'>;
  readonly payloads: Pick<PayloadStore, 'argsOf'>;
  readonly acceptance: Pick<PlayAcceptance, 'acceptUncounted' | 'nextPlayId'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Public address of the API. */
  readonly base: string;
  /** No play is started for this one. */
  readonly onGivenUp: (failed: PendingFailure, reason: string) => void;
  /** A play could not be started now. It is tried again; the others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const ALL = new SystemScope('failed plays of all companies start the plays that handle their failures');
/** Failures of one company in one turn. */
const PAGE = 50;
const AT_ONCE = 8;
/** Failures of one pass. */
const MOST = 1_000;
/** A failure whose play could not be started for this long (the company's backlog stays full) starts none. */
const START_WITHIN_MS = 86_400_000;
/** So long after the id was fixed, no scheduler is about to store the play any more. */
const CLAIM_GRACE_MS = 60_000;

type Outcome = 'started' | 'none' | 'later' | 'full';

export class FailureWalk {
  /** Failures whose play could not be started, each by its company and its id. */
  private readonly resting = new RestingPlays();
  /** Companies without room for another play. */
  private readonly full = new RestingPlays();
  private readonly rounds: CompanyRounds<{ readonly companyId: string }>;
  private started = 0;

  constructor(private readonly deps: FailureWalkDeps) {
    this.rounds = new CompanyRounds({
      next: async (after) => {
        const companyId = await deps.plays.nextCompany(ALL, after, this.full.ids());
        return companyId === null ? null : { companyId };
      },
      step: ({ companyId }, atMost) => this.step(companyId, atMost),
      stepSize: PAGE,
      most: MOST,
    });
  }

  /** @returns how many plays were started */
  async pass(signal?: AbortSignal): Promise<number> {
    this.started = 0;
    await this.rounds.pass(signal);
    return this.started;
  }

  private async step(companyId: string, atMost: number): Promise<CompanyStep> {
    const failed = await this.deps.plays.pending(ALL, companyId, atMost, this.restingOf(companyId));
    const isFull = await this.turn(companyId, failed);
    return { did: failed.length, more: failed.length === atMost && !isFull };
  }

  private restingOf(companyId: string): string[] {
    const prefix = `${companyId} `;
    return this.resting.ids().flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  /** @returns whether the company has no room for another play */
  private async turn(companyId: string, failures: readonly PendingFailure[]): Promise<boolean> {
    let isFull = false;
    await inParallel(failures, AT_ONCE, async (failed) => {
      if (isFull) return;
      const outcome = await this.handle(failed);
      const key = `${companyId} ${failed._id}`;
      if (outcome === 'full') isFull = true;
      else if (outcome === 'later') this.resting.failed(key);
      else this.resting.written(key);
      if (outcome === 'started') this.started += 1;
    });
    if (isFull) this.full.failed(companyId);
    else this.full.written(companyId);
    return isFull;
  }

  private async handle(failed: PendingFailure): Promise<Outcome> {
    const { plays } = this.deps;
    try {
      if (!startsHandler(failed)) {
        await plays.settle(ALL, failed);
        return 'none';
      }
      return await this.start(failed);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      const isFull = error instanceof WeftError && error.code === 'backlog_full';
      if (error instanceof WeftError && !isFull) return this.giveUp(failed, reasonOf(error));
      if (this.isOverdue(failed)) return this.giveUp(failed, reasonOf(error));
      this.deps.onFault(error);
      return isFull ? 'full' : 'later';
    }
  }

  /** @throws WeftError when the flow is not run for this play */
  private async start(failed: PendingFailure): Promise<Outcome> {
    const { plays, flows, acceptance, base } = this.deps;
    const scope = new TenantScope(failed.company_id);
    // before the flow is judged: it may have been disabled since another scheduler started the play
    if (await plays.isStored(ALL, failed)) {
      await plays.settle(ALL, failed);
      return 'none';
    }
    const [flow, own] = await Promise.all([flows.get(scope, failed.failurePending), flows.get(scope, failed.flowId)]);
    if (!flow) throw new WeftError('not_found', 'The flow that handles failures was deleted.');
    assertRunnable(flow);
    const playId = failed.failureHandledBy;
    if (playId === undefined) {
      const failureHandledBy = acceptance.nextPlayId();
      if (!(await plays.claim(ALL, failed, failureHandledBy))) return 'later';
      return this.handle({ ...failed, failureHandledBy });
    }
    const url = `${base}/api/v1/plays/${failed._id}`;
    const { wasThere, replayed } = await acceptance.acceptUncounted(flow, {
      playId,
      args: failureArgs(await this.withSmallArgs(scope, failed), { flowName: own?.name ?? '', url }),
      trigger: 'flow',
      triggeredBy: failed.triggeredBy,
      priority: flow.settings.priority ?? failed.priority,
      parentLabels: failed.labels,
      idempotencyKey: `${OWN_KEYS.onFailure}${failed._id}`,
      handlesFailureOf: failed._id,
    });
    await plays.settle(ALL, failed);
    return wasThere || replayed ? 'none' : 'started';
  }

  /** Small args, too, may be in the payload store: for the sake of their integers. */
  private async withSmallArgs(scope: TenantScope, failed: PendingFailure): Promise<PendingFailure> {
    if (!failed.argsRef || failed.argsRef.bytes > INLINE_OUTPUT_BYTES) return failed;
    return { ...failed, args: await this.deps.payloads.argsOf(scope, failed), argsRef: undefined };
  }

  private async giveUp(failed: PendingFailure, reason: string): Promise<Outcome> {
    const { plays, serverNow } = this.deps;
    if (failed.failureHandledBy !== undefined) {
      // another scheduler, for which the flow may still run, may be about to store the play
      if (serverNow() - madeAt(failed.failureHandledBy) < CLAIM_GRACE_MS) return 'later';
      if (await plays.isStored(ALL, failed)) {
        await plays.settle(ALL, failed);
        return 'none';
      }
    }
    if (await plays.giveUp(ALL, failed, reason)) this.deps.onGivenUp(failed, reason);
    return 'none';
  }

  private isOverdue({ completedAt }: PendingFailure): boolean {
    return this.deps.serverNow() - (completedAt?.getTime() ?? 0) > START_WITHIN_MS;
  }
}

/** For people; what is wrong inside of Weft is in its log. */
function reasonOf(error: unknown): string {
  return error instanceof WeftError ? `${error.code}: ${error.message}` : 'It could not be started for a day.';
}
