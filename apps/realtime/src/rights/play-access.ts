import { grantedOnFlow, mayOnFlow, scopeAllows, scopes, seesOwnPlaysOnly, type Principal } from '@weft/access';
import type { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { TenantScope, type WatchedPlay } from '@weft/store';
import { type FlowHead } from '@weft/records';

/**
 * Reads what the rights on a play depend on; null when the company has no such play or flow. Deleted flows are
 * included.
 */
export interface PlayRightsSource {
  findPlay(scope: TenantScope, playId: string): Promise<WatchedPlay | null>;
  /** Not a promise while the flow is cached. */
  findFlow(scope: TenantScope, flowId: string): FlowRightsFields | undefined | Promise<FlowRightsFields | undefined>;
}

type FlowRightsFields = Pick<FlowHead, '_id' | 'company_id' | 'createdBy' | 'groupId' | 'restricted'>;

/** The scopes that open a stream: docs/live.md. */
const WATCH_SCOPES = scopes('api', 'api:read', 'api:plays', 'flow:execute');

/** Who may watch a play: docs/live.md, in the order of refusal of docs/http-api.md §1.5. */
export class PlayAccess {
  constructor(
    private readonly source: PlayRightsSource,
    private readonly grants: Pick<GrantCache, 'decide'>,
  ) {}

  /** @throws WeftError `insufficient_scope` */
  requireScope(caller: Principal): void {
    if (!hasScope(caller))
      throw new WeftError(
        'insufficient_scope',
        'Watching plays needs the scope api, api:read, api:plays or flow:execute.',
      );
  }

  /** @throws WeftError `not_found` (also for what is another company's), `denied` */
  async requireRead(caller: Principal, playId: string): Promise<WatchedPlay> {
    const play = await this.source.findPlay(new TenantScope(caller.companyId), playId);
    const right = play ? await this.rightOn(caller, play) : 'unknown';
    if (!play || right === 'unknown') throw new WeftError('not_found', 'There is no play with this id.');
    if (right === 'none') throw new WeftError('denied', 'You may not read this flow.');
    if (!this.seesPlay(caller, play.triggeredBy)) {
      throw new WeftError('denied', 'With the scope flow:execute only plays that you started can be read.');
    }
    return play;
  }

  /** @throws WeftError `not_found` (also for what is another company's), `denied` */
  async requireFlow(caller: Principal, flowId: string): Promise<void> {
    const flow = await this.source.findFlow(new TenantScope(caller.companyId), flowId);
    if (!flow) throw new WeftError('not_found', 'There is no flow with this id.');
    if (!(await this.mayRead(caller, flow))) throw new WeftError('denied', 'You may not read this flow.');
  }

  /** Whether an admitted caller may continue reading, by the current rights. */
  async mayStillRead(caller: Principal, play: WatchedPlay): Promise<boolean> {
    return this.mayContinue(caller) && (await this.rightOn(caller, play)) === 'read';
  }

  /** Whether an admitted caller may keep any stream. */
  mayContinue(caller: Principal): boolean {
    return hasScope(caller);
  }

  /** Whether a caller may read the plays of this flow of its company; see also `seesPlay`. */
  mayReadFlow(caller: Principal, flowId: string): boolean | Promise<boolean> {
    const flow = this.source.findFlow(new TenantScope(caller.companyId), flowId);
    if (flow instanceof Promise) return flow.then((found) => this.mayRead(caller, found));
    return this.mayRead(caller, flow);
  }

  /** Whether the caller's scopes show this play, given that the caller may read its flow. */
  seesPlay(caller: Principal, triggeredBy: string | null): boolean {
    return !seesOnlyOwnPlays(caller) || triggeredBy === caller.userId;
  }

  private async rightOn(caller: Principal, play: WatchedPlay): Promise<'read' | 'none' | 'unknown'> {
    if (caller.companyId !== play.company_id) return 'unknown';
    const flow = await this.source.findFlow(new TenantScope(caller.companyId), play.flowId);
    if (!flow) return 'unknown';
    return (await this.mayRead(caller, flow)) ? 'read' : 'none';
  }

  private mayRead(caller: Principal, flow: FlowRightsFields | undefined): boolean | Promise<boolean> {
    if (!flow) return false;
    return this.grants.decide(caller, (held) => mayOnFlow(caller, 'read', flow, grantedOnFlow(held, flow)));
  }
}

function hasScope(caller: Principal): boolean {
  return caller.auth === 'session' || scopeAllows(caller.scopes, WATCH_SCOPES, 'GET');
}

function seesOnlyOwnPlays(caller: Principal): boolean {
  return caller.auth !== 'session' && seesOwnPlaysOnly(caller.scopes, 'GET');
}
