import { Inject, Injectable } from '@nestjs/common';
import { conditionHolds, keyOfLimit, laneOf } from '@weft/runs';
import { CLOCK, type Clock } from '@weft/kernel';
import { dryRun, type DryRun, type Faces } from '@weft/layers';
import { TenantScope } from '@weft/store';
import { CompanyRepository, type FlowDocument } from '@weft/records';
import { Sandbox } from '@weft/sandbox';
import { FlowFaces } from '../flow-faces.js';
import { boundedVersion } from './bounded-version.js';
import { DryRunQueue, type TakeTurn } from './dry-run-queue.js';

type Free = Readonly<Record<string, unknown>>;

export interface DryRunInput {
  readonly args: Free;
  readonly fixtures: Free;
}

/** Parallel dry runs in this process. Those that have run for a second give up their place if there is other room. */
const PLACES = { concurrency: 2, slow: { concurrency: 2, afterMs: 1_000 }, requestsPerCompany: 11 } as const;
/** Of one dry run. */
const TIME_LIMIT_MS = 5_000;
/** Of all test cases of one request together, without the time in line. */
const ALL_CASES_LIMIT_MS = 30_000;
/**
 * Runs flows in memory, with given answers instead of external calls: nothing is stored, nothing is sent.
 * They run in the API process, so they are bounded: a few in parallel, one for each company, each for a few seconds while
 * yielding to requests, with small outputs. Companies take turns by the time that they have used, also between test cases.
 */
@Injectable()
export class DryRuns {
  private readonly places = new DryRunQueue(PLACES);

  constructor(
    private readonly companies: CompanyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sandbox: Sandbox,
    private readonly faces: FlowFaces,
  ) {}

  /**
   * Runs a request whose pieces take turns with all dry runs of this process.
   *
   * @throws WeftError `too_many_dry_runs`, and what `request` throws
   */
  inTurns<T>(companyId: string, request: (takeTurn: TakeTurn) => Promise<T>): Promise<T> {
    return this.places.run(companyId, request);
  }

  /** @throws WeftError `too_many_dry_runs` */
  async run(flow: FlowDocument, input: DryRunInput, gone?: AbortSignal): Promise<DryRun> {
    const [only] = await this.runAll(flow, [input], gone);
    return only as DryRun;
  }

  /**
   * One after the other, in order.
   *
   * @param gone aborted when nobody waits for it any more: what runs ends, and the others take no turn
   * @throws WeftError `too_many_dry_runs`
   */
  async runAll(flow: FlowDocument, inputs: readonly DryRunInput[], gone = NEVER): Promise<DryRun[]> {
    if (inputs.length === 0) return [];
    const companyName = (await this.companies.find(new TenantScope(flow.company_id)))?.name ?? '';
    const version = boundedVersion(flow);
    let faces: Faces | undefined;
    return this.places.run(flow.company_id, async (takeTurn) => {
      const runs: DryRun[] = [];
      let leftMs = ALL_CASES_LIMIT_MS;
      for (const { args, fixtures } of inputs) {
        const run = await takeTurn(async () => {
          if (gone.aborted) return notRun(flow);
          faces ??= await this.faces.of(flow);
          const beganMs = performance.now();
          const limit = AbortSignal.timeout(Math.max(1, Math.ceil(Math.min(TIME_LIMIT_MS, leftMs))));
          const signal = AbortSignal.any([limit, gone]);
          const now = new Date(this.clock.now());
          try {
            const deps = { sandbox: this.sandbox, now: () => this.clock.now() };
            const applies = await conditionHolds(flow, args, deps);
            if (!applies) return notRun(flow);
            // a run without a lane, or a key of its limit, would be refused
            await laneOf(flow, args, deps);
            await keyOfLimit(flow, args, deps);
            return await dryRun({ version, companyName, args, fixtures, faces, now, sandbox: this.sandbox, signal });
          } finally {
            leftMs -= performance.now() - beganMs;
          }
        }, gone);
        runs.push(run);
      }
      return runs;
    });
  }
}

const NEVER = new AbortController().signal;

/** As a run is answered whose flow has a condition that says no. */
function notRun({ layers }: FlowDocument): DryRun {
  return {
    state: 'SKIP',
    error: null,
    layers: layers.map(({ ref }) => ({ ref, state: 'NEW', out: null, error: null })),
    missingFixtures: [],
  };
}
