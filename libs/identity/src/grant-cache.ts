import { HeldGrants, type Grant, type Principal } from '@weft/access';
import type { Clock } from '@weft/kernel';
import { FreshReads, SystemScope, type GrantRepository, type GrantRow } from '@weft/persistence';

const MAX_GRANTEES = 20_000;

const ACROSS = new SystemScope('grants to users and groups of all companies are read in one question');

/** Whom grants reach. */
export type Grantee = Pick<Principal, 'userId' | 'companyId' | 'groupIds'>;

/** By company: a user may be in several. */
type GrantsByCompany = ReadonlyMap<string, HeldGrants>;

const NONE = new HeldGrants([]);

/**
 * The grants that reach callers, as `FreshReads` answers: no promise while they are younger than a second. Kept by grantee
 * and not by caller, so that who enters or leaves a group has its grants or loses them with the next request.
 */
export class GrantCache {
  private readonly reads: FreshReads<GrantsByCompany>;

  constructor(repository: Pick<GrantRepository, 'reaching'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.reads = new FreshReads({
      ask: async (granteeIds) => byGrantee(granteeIds, await repository.reaching(ACROSS, granteeIds)),
      monotonicMs: () => clock.monotonicMs(),
      max: MAX_GRANTEES,
    });
  }

  /** Grants to the caller and to each of the caller's groups, in the caller's company. */
  of(caller: Grantee): readonly HeldGrants[] | Promise<readonly HeldGrants[]> {
    const reads = [caller.userId, ...caller.groupIds].map((id) => this.reads.get(id));
    const inCompany = (held: GrantsByCompany | undefined): HeldGrants => held?.get(caller.companyId) ?? NONE;
    if (reads.every(isKnown)) return reads.map(inCompany);
    return Promise.all(reads.map(async (read) => inCompany(await read)));
  }

  /**
   * A judgement that grants can only turn to yes. They are not looked at where it is yes without them: most requests are
   * allowed by the role alone, and pay nothing for grants.
   */
  decide(caller: Grantee, judge: (held: readonly HeldGrants[]) => boolean): boolean | Promise<boolean> {
    if (judge([])) return true;
    const held = this.of(caller);
    return held instanceof Promise ? held.then(judge) : judge(held);
  }

  /** The grants to this user or group have changed. */
  forget(granteeId: string): void {
    this.reads.drop(granteeId);
  }
}

function isKnown(read: GrantsByCompany | Promise<unknown>): read is GrantsByCompany {
  return !(read instanceof Promise);
}

function byGrantee(granteeIds: readonly string[], rows: readonly GrantRow[]): ReadonlyMap<string, GrantsByCompany> {
  const sorted = new Map<string, Map<string, Grant[]>>(granteeIds.map((id) => [id, new Map()]));
  for (const { CompanyID, GranteeID, ResourceType, ResourceID, Permissions } of rows) {
    const companies = sorted.get(GranteeID);
    const grants = companies?.get(CompanyID) ?? [];
    companies?.set(CompanyID, grants);
    grants.push({ resourceType: ResourceType, resourceId: ResourceID, permissions: Permissions });
  }
  return new Map(
    [...sorted].map(([id, companies]) => [
      id,
      new Map([...companies].map(([companyId, grants]) => [companyId, new HeldGrants(grants)])),
    ]),
  );
}
