import { Injectable } from '@nestjs/common';
import { dryRun, type DryRun } from '@weft/layers';
import { CompanyRepository, Mongo, TenantScope, type FlowDocument } from '@weft/persistence';
import { setImmediate } from 'node:timers/promises';
import { boundedVersion } from './bounded-version.js';
import { Places } from './places.js';

type Free = Readonly<Record<string, unknown>>;

export interface DryRunInput {
  readonly args: Free;
  readonly fixtures: Free;
}

/** At work at once in this process. */
const MAX_AT_ONCE = 2;
/** Requests of one company that wait in line. */
const MAX_WAITING = 10;
/** Of one dry run. */
const TIME_LIMIT_MS = 5_000;
/** Of all test cases of one request together. */
const ALL_CASES_LIMIT_MS = 30_000;
/** After so long the process serves others before it goes on. */
const SLICE_MS = 20;

/**
 * Flows that run in memory with stored answers in the place of what would reach out: nothing is stored, nothing is sent.
 * They run in the API process, so they are bounded: a few at once, one of a company, each for a few seconds in slices that
 * let requests through, with small outputs.
 */
@Injectable()
export class DryRuns {
  private readonly places = new Places(MAX_AT_ONCE, MAX_WAITING);
  private readonly companies: CompanyRepository;

  constructor(mongo: Mongo) {
    this.companies = new CompanyRepository(mongo);
  }

  /** @throws WeftError `too_many_dry_runs` */
  async run(flow: FlowDocument, input: DryRunInput): Promise<DryRun> {
    const [only] = await this.runAll(flow, [input]);
    return only as DryRun;
  }

  /**
   * One after the other, in order.
   *
   * @throws WeftError `too_many_dry_runs`
   */
  async runAll(flow: FlowDocument, inputs: readonly DryRunInput[]): Promise<DryRun[]> {
    if (inputs.length === 0) return [];
    const company = await this.companies.find(new TenantScope(flow.company_id));
    const version = boundedVersion(flow);
    return this.places.hold(flow.company_id, async () => {
      const endOfAllMs = performance.now() + ALL_CASES_LIMIT_MS;
      const runs: DryRun[] = [];
      for (const { args, fixtures } of inputs) {
        const time = new TimeLimit(Math.min(performance.now() + TIME_LIMIT_MS, endOfAllMs));
        const now = new Date();
        const run = await dryRun({
          version,
          companyName: company?.name ?? '',
          args,
          fixtures,
          now,
          beforeCall: () => time.pass(),
        });
        runs.push(time.isOver ? timedOut(run) : run);
      }
      return runs;
    });
  }
}

/** What one dry run may take of the process. */
class TimeLimit {
  private sliceEndsMs = performance.now() + SLICE_MS;

  constructor(private readonly endsMs: number) {}

  /** @throws Error when the time is over: the layer that would be called FAILs, and with it the run */
  async pass(): Promise<void> {
    if (this.isOver) throw new Error('the time of the dry run is over');
    if (performance.now() < this.sliceEndsMs) return;
    await setImmediate();
    this.sliceEndsMs = performance.now() + SLICE_MS;
  }

  get isOver(): boolean {
    return performance.now() >= this.endsMs;
  }
}

function timedOut(run: DryRun): DryRun {
  const message = `A dry run may take ${TIME_LIMIT_MS} ms: give fixtures for the layers that take long.`;
  return { ...run, state: 'FAIL', error: { code: 'play_timeout', message, ref: run.error?.ref ?? null } };
}
