import { Inject, Injectable } from '@nestjs/common';
import { PERMISSIONS, roleGives, rulesOver, type GrantType, type Permission, type Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope, type PageOf, type PageRequest } from '@weft/store';
import { GrantRepository, GrantSubjects, type GrantAuthor, type GrantDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Actor } from '../audit/actor-entry.js';
import type { GrantBody, ListGrantsQuery } from './grant.requests.js';

/** Grants of the caller's company: admins and the creator of the resource give, list and revoke them. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly grants: GrantRepository,
    private readonly subjects: GrantSubjects,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found` of the thing, `denied`, `unknown_id` of the grantee */
  async grant(actor: Actor, body: GrantBody): Promise<{ readonly grant: GrantDocument; readonly created: boolean }> {
    const { caller } = actor;
    const scope = new TenantScope(caller.companyId);
    const createdBy = await this.subjects.creatorOf(scope, body.resource_type, body.resource_id);
    if (createdBy === null) throw new WeftError('not_found', `There is no such ${NAMES[body.resource_type]}.`);
    assertRules(caller, createdBy);
    if (body.resource_type === 'flow_group') assertGives(caller, body.permissions);
    if (!(await this.subjects.isGrantee(scope, body.grant_type, body.grantee_id)))
      throw unknownGrantee(body.grant_type);
    const grant: GrantDocument = {
      _id: this.newId(),
      CompanyID: caller.companyId,
      ResourceType: body.resource_type,
      ResourceID: body.resource_id,
      ResourceCreatedBy: createdBy,
      GrantType: body.grant_type,
      GranteeID: body.grantee_id,
      Permissions: PERMISSIONS.filter((permission) => body.permissions.includes(permission)),
      CreatedBy: caller.userId,
      CreatedAt: new Date(this.clock.now()),
    };
    const put = await this.grants.put(scope, grant, authorOf(actor));
    this.bus.publish({ kind: 'grants', id: grant.GranteeID });
    return put;
  }

  async list(caller: Principal, query: ListGrantsQuery, page: PageRequest): Promise<PageOf<GrantDocument>> {
    const filter = {
      resourceType: query.resource_type,
      resourceId: query.resource_id,
      granteeId: query.grantee_id,
      ...(caller.role !== 'admin' && { resourceCreatedBy: caller.role === 'none' ? NOBODY : caller.userId }),
    };
    return this.grants.list(new TenantScope(caller.companyId), filter, page);
  }

  /** @throws WeftError `not_found`, `denied` */
  async remove(actor: Actor, id: string): Promise<void> {
    const scope = new TenantScope(actor.caller.companyId);
    const grant = await this.grants.find(scope, id);
    if (!grant) throw new WeftError('not_found', 'There is no grant with this id.');
    assertRules(actor.caller, grant.ResourceCreatedBy);
    if (!(await this.grants.remove(scope, id, authorOf(actor)))) {
      throw new WeftError('not_found', 'This grant has been taken back already.');
    }
    this.bus.publish({ kind: 'grants', id: grant.GranteeID });
  }
}

const NAMES = { flow: 'flow', flow_group: 'flow group', integration: 'integration link' } as const;

/** No user has this id. */
const NOBODY = '';

function assertRules(caller: Principal, createdBy: string): void {
  if (rulesOver(caller, createdBy)) return;
  throw new WeftError('denied', 'Only admins and whoever made it decide who else may use it.');
}

/** Flows of others come into a group, too, so that having made it is not having made them: the role must have what it gives. */
function assertGives(caller: Principal, permissions: readonly Permission[]): void {
  const beyond = permissions.filter((permission) => !roleGives(caller.role, permission));
  if (beyond.length === 0) return;
  throw new WeftError(
    'denied',
    `Your role does not let you ${beyond.join(', ')} flows of others, so you cannot give it.`,
  );
}

function unknownGrantee(type: GrantType): WeftError {
  const message = `the company has no ${type} with this id`;
  return new WeftError('unknown_id', `${message}.`, { errors: [{ path: 'grantee_id', code: 'unknown_id', message }] });
}

function authorOf({ caller, origin }: Actor): GrantAuthor {
  return {
    UserID: caller.userId,
    UserEmail: caller.email,
    UserIPAddress: origin.address,
    request_id: origin.requestId,
  };
}
