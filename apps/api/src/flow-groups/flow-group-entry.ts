import { Injectable } from '@nestjs/common';
import type { FlowUnderAccess, Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { GrantRepository, Mongo, TenantScope } from '@weft/persistence';
import { FlowRights } from '../flows/flow-rights.js';

/**
 * Who puts a flow into a group gives it to everybody whom grants on the group reach. Nobody gives what they do not have: else
 * an editor who may delete the flows of one group could move any flow there.
 */
@Injectable()
export class FlowGroupEntry {
  private readonly grants: GrantRepository;

  constructor(
    mongo: Mongo,
    private readonly rights: FlowRights,
  ) {
    this.grants = new GrantRepository(mongo);
  }

  /** @throws WeftError `denied` when something is granted on the group that the caller may not do with the flow */
  async assertMay(caller: Principal, flow: FlowUnderAccess, groupId: string): Promise<void> {
    const scope = new TenantScope(caller.companyId);
    for (const permission of await this.grants.permissionsOn(scope, 'flow_group', groupId)) {
      if (await this.rights.may(caller, permission, flow)) continue;
      throw new WeftError('denied', `In this group others may ${permission} the flow, which you may not do yourself.`);
    }
  }
}
