import { grantedOnFlow, mayOnFlow, scopeAllows, seesOwnPlaysOnly, type Principal } from '@weft/access';
import type { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { TenantScope, type FlowHead, type WatchedPlay } from '@weft/persistence';

/** Reads what the rights on a play follow from; null when the company has no such thing. Deleted flows are given, too. */
export interface PlayFacts {
  findPlay(scope: TenantScope, playId: string): Promise<WatchedPlay | null>;
  /** Without a promise while it is known. */
  findFlow(scope: TenantScope, flowId: string): FlowFacts | undefined | Promise<FlowFacts | undefined>;
}

type FlowFacts = Pick<FlowHead, '_id' | 'company_id' | 'createdBy' | 'groupId' | 'restricted'>;

/** Contract §6. */
const SCOPES = 'A R P X';

/** Who may watch a play: contract §6, in the order of refusal of §1. */
export class PlayAccess {
  constructor(
    private readonly facts: PlayFacts,
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
    const play = await this.facts.findPlay(new TenantScope(caller.companyId), playId);
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
    const flow = await this.facts.findFlow(new TenantScope(caller.companyId), flowId);
    if (!flow) throw new WeftError('not_found', 'There is no flow with this id.');
    if (!(await this.judge(caller, flow))) throw new WeftError('denied', 'You may not read this flow.');
  }

  /** Whether a caller who was let in may go on reading, as things are now. */
  async mayStillRead(caller: Principal, play: WatchedPlay): Promise<boolean> {
    return this.mayGoOn(caller) && (await this.rightOn(caller, play)) === 'read';
  }

  /** Whether a caller who was let in may go on with any stream. */
  mayGoOn(caller: Principal): boolean {
    return hasScope(caller);
  }

  /** Whether a caller reads the plays of this flow of their company; see `seesPlay`, too. */
  mayReadFlow(caller: Principal, flowId: string): boolean | Promise<boolean> {
    const flow = this.facts.findFlow(new TenantScope(caller.companyId), flowId);
    if (flow instanceof Promise) return flow.then((found) => this.judge(caller, found));
    return this.judge(caller, flow);
  }

  /** Whether, of plays that the caller may read by their flow, this one is among those that the scopes show. */
  seesPlay(caller: Principal, triggeredBy: string | null): boolean {
    return !ownOnly(caller) || triggeredBy === caller.userId;
  }

  private async rightOn(caller: Principal, play: WatchedPlay): Promise<'read' | 'none' | 'unknown'> {
    if (caller.companyId !== play.company_id) return 'unknown';
    const flow = await this.facts.findFlow(new TenantScope(caller.companyId), play.flowId);
    if (!flow) return 'unknown';
    return (await this.judge(caller, flow)) ? 'read' : 'none';
  }

  private judge(caller: Principal, flow: FlowFacts | undefined): boolean | Promise<boolean> {
    if (!flow) return false;
    return this.grants.decide(caller, (held) => mayOnFlow(caller, 'read', flow, grantedOnFlow(held, flow)));
  }
}

function hasScope(caller: Principal): boolean {
  return caller.auth === 'session' || scopeAllows(caller.scopes, SCOPES, 'GET');
}

function ownOnly(caller: Principal): boolean {
  return caller.auth !== 'session' && seesOwnPlaysOnly(caller.scopes, 'GET');
}
