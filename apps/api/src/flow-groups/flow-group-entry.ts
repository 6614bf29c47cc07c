import { Injectable } from '@nestjs/common';
import type { FlowUnderAccess, Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { GrantRepository } from '@weft/records';
import { FlowRights } from '../flows/flow-rights.js';

/**
 * Putting a flow into a group gives rights on it to everybody with grants on the group. Callers can only give rights that
 * they have: otherwise an editor who may delete the flows of one group could move any flow into it.
 */
@Injectable()
export class FlowGroupEntry {
  constructor(
    private readonly grants: GrantRepository,
    private readonly rights: FlowRights,
  ) {}

  /** @throws WeftError `denied` when something is granted on the group that the caller may not do with the flow */
  async assertMay(caller: Principal, flow: FlowUnderAccess, groupId: string): Promise<void> {
    const scope = new TenantScope(caller.companyId);
    for (const permission of await this.grants.permissionsOn(scope, 'flow_group', groupId)) {
      if (await this.rights.may(caller, permission, flow)) continue;
      throw new WeftError('denied', `In this group others may ${permission} the flow, which you may not do yourself.`);
    }
  }
}
