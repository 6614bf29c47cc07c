import { ReadThroughCache } from '@weft/concurrency';
import { HeldGrants, type Grant, type Principal } from '@weft/access';
import type { Clock } from '@weft/kernel';
import { SystemScope } from '@weft/store';
import { type GrantRepository, type GrantRow } from '@weft/records';

const MAX_GRANTEES = 20_000;

const ALL_COMPANIES = new SystemScope('grants to users and groups of all companies are read in one question');

/** A caller whose grants are looked up. */
export type Grantee = Pick<Principal, 'userId' | 'companyId' | 'groupIds'>;

/** By company: a user may be in several. */
type GrantsByCompany = ReadonlyMap<string, HeldGrants>;

const NONE = new HeldGrants([]);

/**
 * The grants of callers, at most a second old (see `ReadThroughCache`); without a promise while they are cached. They are cached by
 * grantee and not by caller, so that a user who joins or leaves a group gains or loses its grants with the next request.
 */
export class GrantCache {
  private readonly reads: ReadThroughCache<GrantsByCompany>;

  constructor(repository: Pick<GrantRepository, 'reaching'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.reads = new ReadThroughCache({
      ask: async (granteeIds) => byGrantee(granteeIds, await repository.reaching(ALL_COMPANIES, granteeIds)),
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
   * Decides a right that grants can only add. They are not read when the right exists without them: most requests are allowed
   * by the role alone and cost no lookup.
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
