import { Inject, Injectable } from '@nestjs/common';
import { conditionHolds } from '@weft/acceptance';
import { CLOCK } from '@weft/host';
import type { Clock } from '@weft/kernel';
import { dryRun, type DryRun } from '@weft/layers';
import { CompanyRepository, Mongo, TenantScope, type FlowDocument } from '@weft/persistence';
import { Sandbox } from '@weft/sandbox';
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
/**
 * Flows that run in memory with stored answers in the place of what would reach out: nothing is stored, nothing is sent.
 * They run in the API process, so they are bounded: a few at once, one of a company, each for a few seconds with turns for
 * requests in between, with small outputs.
 */
@Injectable()
export class DryRuns {
  private readonly places = new Places(MAX_AT_ONCE, MAX_WAITING);
  private readonly companies: CompanyRepository;

  constructor(
    mongo: Mongo,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sandbox: Sandbox,
  ) {
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
    const companyName = (await this.companies.find(new TenantScope(flow.company_id)))?.name ?? '';
    const version = boundedVersion(flow);
    return this.places.hold(flow.company_id, async () => {
      const endOfAll = AbortSignal.timeout(ALL_CASES_LIMIT_MS);
      const runs: DryRun[] = [];
      for (const { args, fixtures } of inputs) {
        const signal = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), endOfAll]);
        const now = new Date(this.clock.now());
        const applies = await conditionHolds(flow, args, { sandbox: this.sandbox, now: () => this.clock.now() });
        runs.push(
          applies
            ? await dryRun({ version, companyName, args, fixtures, now, sandbox: this.sandbox, signal })
            : skipped(flow),
        );
      }
      return runs;
    });
  }
}

/** As a run is answered whose flow has a condition that says no. */
function skipped({ layers }: FlowDocument): DryRun {
  return {
    state: 'SKIP',
    error: null,
    layers: layers.map(({ ref }) => ({ ref, state: 'NEW', out: null, error: null })),
    missingFixtures: [],
  };
}
