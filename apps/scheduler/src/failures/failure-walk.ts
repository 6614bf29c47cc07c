/**
 * Starts a play for each failed play whose flow has `settings.onFailure` (docs/protocol.md §6 "Failures"). Any number of
 * schedulers do so in parallel, and a process may die after each step:
 *
 * 1. Claim: a write on the failed play fixes the id of the play to start.
 * 2. Accept it under that id, by the same rules as every run. A second insert has no effect.
 * 3. Settle: the failed play is not pending any more.
 */
import { failureArgs, startsHandler } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  isStoreUnavailable,
  SystemScope,
  TenantScope,
  type FailedPlaysRepository,
  type PendingFailure,
} from '@weft/persistence';
import { assertRunnable, OWN_KEYS, type FlowCache, type PlayAcceptance } from '@weft/runs';
import { inParallel } from '../in-parallel.js';
import { RestingPlays } from '../resting-plays.js';

export interface FailureWalkDeps {
  readonly plays: Pick<FailedPlaysRepository, 'pending' | 'claim' | 'isStored' | 'settle' | 'giveUp'>;
  readonly flows: Pick<FlowCache, 'get'>;
  readonly acceptance: Pick<PlayAcceptance, 'accept' | 'nextPlayId'>;
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
const PAGE = 50;
const AT_ONCE = 8;
/** Then other loops of the scheduler have their turn; the next pass goes on. */
const MOST_PAGES = 20;
/** A failure whose play could not be started for this long (the company's backlog stays full) starts none. */
const START_WITHIN_MS = 86_400_000;

type Outcome = 'started' | 'none' | 'later';

export class FailureWalk {
  private readonly resting = new RestingPlays();

  constructor(private readonly deps: FailureWalkDeps) {}

  /** @returns how many plays were started */
  async pass(): Promise<number> {
    let started = 0;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const failed = await this.deps.plays.pending(ALL, PAGE, this.resting.ids());
      await inParallel(failed, AT_ONCE, async (each) => {
        const outcome = await this.handle(each);
        if (outcome === 'later') return this.resting.failed(each._id);
        this.resting.written(each._id);
        if (outcome === 'started') started += 1;
      });
      if (failed.length < PAGE) break;
    }
    return started;
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
      if (error instanceof WeftError && error.code !== 'backlog_full') return this.giveUp(failed, reasonOf(error));
      if (this.isOverdue(failed)) return this.giveUp(failed, reasonOf(error));
      this.deps.onFault(error);
      return 'later';
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
    const { wasThere, replayed } = await acceptance.accept(flow, {
      playId,
      args: failureArgs(failed, { flowName: own?.name ?? '', url }),
      trigger: 'flow',
      triggeredBy: failed.triggeredBy,
      priority: failed.priority,
      parentLabels: failed.labels,
      idempotencyKey: `${OWN_KEYS.onFailure}${failed._id}`,
      handlesFailureOf: failed._id,
    });
    await plays.settle(ALL, failed);
    return wasThere || replayed ? 'none' : 'started';
  }

  private async giveUp(failed: PendingFailure, reason: string): Promise<Outcome> {
    if (await this.deps.plays.giveUp(ALL, failed, reason)) this.deps.onGivenUp(failed, reason);
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
