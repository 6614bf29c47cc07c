import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope, type PageRequest } from '@weft/store';
import { GroupRepository, GROUPS, type GroupDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import type { Page } from '@weft/contracts';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { toPage } from '../http/paging.js';
import { toGroupView, type GroupView } from './group.view.js';

/** Groups of people, to grant things to. */
@Injectable()
export class GroupsService {
  constructor(
    private readonly groups: GroupRepository,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async create(actor: Actor, name: string): Promise<GroupView> {
    const { caller } = actor;
    const group: GroupDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      name,
      created_by: caller.userId,
      created_at: new Date(this.clock.now()),
      changes: 0,
    };
    const changes = { name: { before: null, after: name } };
    await this.groups.insert(scopeOf(caller), group, actorEntry(actor, 'group_created', subjectOf(group._id), changes));
    return toGroupView(group, []);
  }

  async list(caller: Principal, page: PageRequest): Promise<Page<GroupView>> {
    const found = await this.groups.list(scopeOf(caller), page);
    const members = await this.groups.membersOf(
      scopeOf(caller),
      found.items.map(({ _id }) => _id),
    );
    return toPage(page, found, (group) => toGroupView(group, members.get(group._id) ?? []));
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<GroupView> {
    const group = await this.find(caller, id);
    const members = await this.groups.membersOf(scopeOf(caller), [id]);
    return toGroupView(group, members.get(id) ?? []);
  }

  /** @throws WeftError `not_found` */
  async rename(actor: Actor, id: string, name: string | undefined): Promise<GroupView> {
    const { caller } = actor;
    const before = await this.find(caller, id);
    if (name !== undefined && name !== before.name) {
      const changes = { name: { before: before.name, after: name } };
      const entry = actorEntry(actor, 'group_updated', subjectOf(id), changes);
      if (!(await this.groups.rename(scopeOf(caller), id, name, entry))) throw noSuchGroup();
    }
    return this.read(caller, id);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, id: string): Promise<void> {
    const entry = actorEntry(actor, 'group_deleted', subjectOf(id));
    const members = await this.groups.remove(scopeOf(actor.caller), id, entry);
    if (!members) throw noSuchGroup();
    this.bus.publish({ kind: 'grants', id });
    for (const userId of members) this.bus.publish({ kind: 'user', id: userId });
  }

  /** Adding a member again is not an error. @throws WeftError `not_found`, also for removing a user who is not a member */
  async setMember(actor: Actor, id: string, userId: string, isMember: boolean): Promise<void> {
    const changes = { user_id: isMember ? { before: null, after: userId } : { before: userId, after: null } };
    const action = isMember ? 'group_member_added' : 'group_member_removed';
    const entry = actorEntry(actor, action, subjectOf(id), changes);
    const changed = await this.groups.setMember(scopeOf(actor.caller), id, userId, isMember, entry);
    if (changed === null) throw new WeftError('not_found', 'Your company has no such group, or no such user.');
    if (!changed && !isMember) throw new WeftError('not_found', 'The group has no such member.');
    if (changed) this.bus.publish({ kind: 'user', id: userId });
  }

  private async find(caller: Principal, id: string): Promise<GroupDocument> {
    const group = await this.groups.find(scopeOf(caller), id);
    if (!group) throw noSuchGroup();
    return group;
  }
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function subjectOf(groupId: string) {
  return { collection: GROUPS, resource_type: 'group', resource_id: groupId };
}

function noSuchGroup(): WeftError {
  return new WeftError('not_found', 'Your company has no such group.');
}
