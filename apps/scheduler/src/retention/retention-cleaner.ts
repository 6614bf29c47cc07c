import { companiesAtOnce, pauseAfter, type RetentionCollection } from '@weft/retention';
import { SystemScope, TenantScope } from '@weft/store';
import { SweepPositions, type PlaysLeft, type RetentionPlan, type Sweep } from '@weft/records';
import type { JobResult, JobRun } from '../jobs/job-definition.js';
import { assertClocksAgree } from './clocks-agree.js';

const STEPS_A_VISIT = 20;

export interface RetentionCleanerOptions {
  readonly plan: Pick<RetentionPlan, 'sweepsOf' | 'removePayloads' | 'states'>;
  readonly companies: () => Promise<readonly string[]>;
  /** The clocks of this machine and of MongoDB, epoch ms: while they disagree nothing is deleted. */
  readonly clocks: { readonly local: () => number; readonly server: () => number };
  /** Resolves after this many milliseconds, or when the signal says that the run must end. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How many batches of one rule are deleted before other rules and companies have their turn; by default 20. */
  readonly stepsAVisit?: number;
  readonly onStep?: (
    collection: RetentionCollection,
    companyId: string | null,
    step: { readonly deleted: number; readonly decidedMs: number; readonly tookMs: number },
  ) => void;
  /** After each step; null: the run has ended. */
  readonly onProgress?: (progress: RetentionProgress | null) => void;
  readonly onVisit?: (collection: RetentionCollection, status: 'ok' | 'failed', tookMs: number) => void;
  /** Called for a company for which a run failed; the others are cleaned all the same. */
  readonly onFault: (companyId: string | null, error: unknown) => void;
}

export interface RetentionProgress {
  /** How long the run has taken by now. */
  readonly runMs: number;
  /** Of all companies that were visited. */
  readonly left: PlaysLeft;
}

/**
 * A company in one run. A company with more to delete gets its next visit after the others. Null: entries that belong to no
 * company.
 */
interface Visited {
  readonly company: TenantScope | null;
  readonly tookMs: Map<RetentionCollection, number>;
  /** Each visit goes on where the one before has ended. */
  readonly positions: SweepPositions;
  /** What each of its sweeps still has to delete. */
  readonly left: Map<number, PlaysLeft>;
}

/**
 * One run of retention: visits the companies in turn, a few batches each, with a pause after every batch (`pauseAfter`), until
 * nothing is due. A run that has fallen far behind visits two companies at once (`companiesAtOnce`). The audit log gets what a run deleted when the
 * company is done, or when the run must end.
 */
export class RetentionCleaner {
  private readonly scope = new SystemScope('retention cleans all companies');
  private visited: readonly Visited[] = [];

  constructor(private readonly options: RetentionCleanerOptions) {}

  /** @throws when the clocks disagree; the next run reports what was deleted before */
  async run(run: Pick<JobRun, 'startedAt' | 'signal'>): Promise<JobResult> {
    try {
      return await this.visitAll(run);
    } finally {
      this.options.onProgress?.(null);
    }
  }

  private async visitAll({ startedAt, signal }: Pick<JobRun, 'startedAt' | 'signal'>): Promise<JobResult> {
    assertClocksAgree(this.options.clocks.local(), startedAt.getTime());
    const companies = await this.options.companies();
    const scopes = [...companies.map((id) => new TenantScope(id)), null];
    let round: Visited[] = scopes.map((company) => ({
      ...{ company, tookMs: new Map(), positions: new SweepPositions(), left: new Map() },
    }));
    this.visited = round;
    let entriesDeleted = 0;
    let hasFaults = false;
    while (round.length > 0) {
      const again: Visited[] = [];
      const turn = async (visited: Visited) => {
        try {
          if (await this.visit(visited, startedAt, signal)) return void again.push(visited);
          const reported = await this.report(visited, startedAt);
          entriesDeleted += reported; // not in the line above: the other visit may have added its own meanwhile
        } catch (error) {
          hasFaults = true;
          this.options.onFault(visited.company?.companyId ?? null, error);
        }
      };
      await this.takeTurns(round, turn, startedAt, signal);
      if (signal.aborted) {
        for (const left of again) entriesDeleted += await this.report(left, startedAt);
        return { entriesDeleted, hasFaults, goesOn: true };
      }
      round = again;
    }
    return { entriesDeleted, hasFaults };
  }

  /** One after the other, or two at once. @throws when the clocks disagree; the turns that were begun have ended then */
  private async takeTurns(
    round: readonly Visited[],
    turn: (visited: Visited) => Promise<void>,
    startedAt: Date,
    signal: AbortSignal,
  ): Promise<void> {
    const { local, server } = this.options.clocks;
    const begun = new Set<Promise<void>>();
    try {
      for (const visited of round) {
        while (begun.size >= companiesAtOnce(server() - startedAt.getTime())) await Promise.race(begun);
        if (signal.aborted) return;
        assertClocksAgree(local(), server()); // the primary may have changed
        const its = turn(visited).finally(() => begun.delete(its));
        begun.add(its);
      }
    } finally {
      await Promise.all(begun);
    }
  }

  private async visit({ company, tookMs, positions, left }: Visited, now: Date, signal: AbortSignal): Promise<boolean> {
    const { plan, onVisit } = this.options;
    const sweeps = await plan.sweepsOf(company, now, undefined, positions);
    let more = false;
    let deleted = 0;
    for (const [i, sweep] of sweeps.entries()) {
      // for plays that are about to be deleted: their layers are deleted with them
      if (sweep.collection === 'play_layers' && more) continue;
      const start = performance.now();
      let status: 'ok' | 'failed' = 'failed';
      try {
        const done = await this.sweep(sweep, company, now, signal, (its) => left.set(i, its));
        more ||= done.more;
        deleted += done.deleted;
        status = 'ok';
      } finally {
        const took = performance.now() - start;
        tookMs.set(sweep.collection, (tookMs.get(sweep.collection) ?? 0) + took);
        onVisit?.(sweep.collection, status, took);
      }
      if (signal.aborted) return true;
    }
    if (company && (!more || deleted > 0)) await plan.removePayloads(company);
    return more;
  }

  private async sweep(
    sweep: Sweep,
    company: TenantScope | null,
    startedAt: Date,
    signal: AbortSignal,
    onLeft: (left: PlaysLeft) => void,
  ): Promise<{ readonly deleted: number; readonly more: boolean }> {
    let deleted = 0;
    for (let i = 0; i < (this.options.stepsAVisit ?? STEPS_A_VISIT); i += 1) {
      if (signal.aborted) return { deleted, more: true };
      const start = performance.now();
      const step = await sweep.step();
      const tookMs = performance.now() - start;
      deleted += step.deleted;
      this.options.onStep?.(step.from ?? sweep.collection, company?.companyId ?? null, { ...step, tookMs });
      if (step.left) onLeft(step.left);
      if (!step.more) return { deleted, more: false };
      const runMs = this.options.clocks.server() - startedAt.getTime();
      this.options.onProgress?.({ runMs, left: this.left() });
      await this.options.pause(pauseAfter(tookMs, runMs), signal);
    }
    return { deleted, more: true };
  }

  private left(): PlaysLeft {
    const all = this.visited.flatMap(({ left }) => [...left.values()].filter(({ plays }) => plays > 0));
    return {
      plays: all.reduce((sum, { plays }) => sum + plays, 0),
      overdueMs: Math.max(0, ...all.map(({ overdueMs }) => overdueMs)),
    };
  }

  private report({ company, tookMs }: Visited, run: Date): Promise<number> {
    return this.options.plan.states.report(this.scope, company, { run, tookMs });
  }
}
