import { Injectable } from '@nestjs/common';
import { seesAllPlays, type Principal } from '@weft/access';
import { FINAL_STATES, type BacktestItem, type BacktestView } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { PlayReadsRepository, TenantScope } from '@weft/store';
import { CompanyRepository } from '@weft/records';
import { DryRuns } from '../dry-run/dry-runs.service.js';
import { FlowRights } from '../flow-rights.js';
import { FlowsService } from '../flows.service.js';
import { DEFAULT_PLAYS, type BacktestBody } from './backtest.requests.js';
import { EditedFlows } from './edited-flows.js';
import { PlayBacktests } from './play-backtests.js';

/** Of one play. */
const TIME_LIMIT_MS = 5_000;
/** Of all plays of one request together, without the time in line. */
const ALL_PLAYS_LIMIT_MS = 30_000;

/** Rehearses a version over the last plays of its flow. Nothing is stored, nothing is sent. */
@Injectable()
export class BacktestsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly rights: FlowRights,
    private readonly edited: EditedFlows,
    private readonly companies: CompanyRepository,
    private readonly plays: PlayReadsRepository,
    private readonly dryRuns: DryRuns,
    private readonly backtests: PlayBacktests,
  ) {}

  /**
   * Newest play first. Plays that are left when the time is over are not compared.
   *
   * @throws WeftError `not_found`, `denied`, `insufficient_scope`, `too_many_dry_runs`; of `EditedFlows`
   */
  async run(caller: Principal, flowId: string, body: BacktestBody): Promise<BacktestView> {
    const stored = await this.flows.read(caller, flowId, 'edit');
    await this.rights.assertMay(caller, 'read', stored);
    assertSeesPlays(caller);
    const flow = await this.edited.of(caller, stored, body);
    const scope = new TenantScope(caller.companyId);
    return this.dryRuns.inTurns(caller.companyId, async (takeTurn) => {
      const companyName = (await this.companies.find(scope))?.name ?? '';
      const rehearsal = this.backtests.of({ flow, companyName });
      const items: BacktestItem[] = [];
      let leftMs = ALL_PLAYS_LIMIT_MS;
      for (const playId of await this.lastPlays(scope, flowId, body.last ?? DEFAULT_PLAYS)) {
        if (leftMs <= 0) break;
        const item = await takeTurn(async () => {
          const beganMs = performance.now();
          const signal = AbortSignal.timeout(Math.ceil(Math.min(TIME_LIMIT_MS, leftMs)));
          try {
            return await rehearsal.itemOf(playId, signal);
          } finally {
            leftMs -= performance.now() - beganMs;
          }
        });
        if (item) items.push(item);
      }
      return toView(items);
    });
  }

  private async lastPlays(scope: TenantScope, flowId: string, size: number): Promise<string[]> {
    const page = { page: 0, size, after: null };
    const { items } = await this.plays.list(scope, { flowId, states: FINAL_STATES }, page);
    return items.map(({ _id }) => _id);
  }
}

/** The answer shows what plays recorded. */
function assertSeesPlays({ auth, scopes }: Principal): void {
  if (auth !== 'api_key' || seesAllPlays(scopes)) return;
  const detail = 'A backtest reads plays: the API key also needs the scope api:read or api:plays.';
  throw new WeftError('insufficient_scope', detail);
}

function toView(items: readonly BacktestItem[]): BacktestView {
  const count = (wanted: BacktestItem['result']) => items.filter(({ result }) => result === wanted).length;
  return {
    compared: items.length,
    same: count('same'),
    different: count('different'),
    unresolved: count('unresolved'),
    items,
  };
}
