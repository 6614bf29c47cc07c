import { Injectable } from '@nestjs/common';
import {
  grantedIds,
  grantedOnFlow,
  mayDecideApproval,
  mayOnFlow,
  mayOnPlay,
  mayRunVersion,
  mayShareLaneOf,
  PERMISSIONS,
  roleGives,
  type FlowPermission,
  type FlowUnderAccess,
  type PlayAction,
  type PlayUnderAccess,
  type PlayUnderApproval,
  type Principal,
} from '@weft/access';
import { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { FlowVisibility } from '@weft/records';

/** What a caller may do with flows of the own company and with their plays: role, creation and grants together. */
@Injectable()
export class FlowRights {
  constructor(private readonly grants: GrantCache) {}

  /** A promise only when the role alone does not allow it and grants must be read: this is on the run path. */
  may(caller: Principal, permission: FlowPermission, flow: FlowUnderAccess): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) => mayOnFlow(caller, permission, flow, grantedOnFlow(held, flow)));
  }

  /** @throws WeftError `denied` */
  async assertMay(caller: Principal, permission: FlowPermission, flow: FlowUnderAccess): Promise<void> {
    if (!(await this.may(caller, permission, flow))) {
      throw new WeftError('denied', `You may not ${permission} this flow.`);
    }
  }

  async permissionsOf(caller: Principal, flow: FlowUnderAccess): Promise<readonly FlowPermission[]> {
    const may = await Promise.all(PERMISSIONS.map(async (permission) => this.may(caller, permission, flow)));
    return PERMISSIONS.filter((_permission, index) => may[index]);
  }

  /** The rules of `mayOnPlay`. */
  mayOnPlay(
    caller: Principal,
    action: PlayAction,
    play: PlayUnderAccess,
    flow: FlowUnderAccess,
  ): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) => mayOnPlay(caller, action, play, flow, grantedOnFlow(held, flow)));
  }

  /** The rules of `mayRunVersion`. */
  mayRunVersion(
    caller: Principal,
    version: number,
    published: number | null,
    flow: FlowUnderAccess,
  ): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) =>
      mayRunVersion(caller, version, published, flow, grantedOnFlow(held, flow)),
    );
  }

  /** The rules of `mayShareLaneOf`. */
  mayShareLaneOf(caller: Principal, flow: FlowUnderAccess): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) => mayShareLaneOf(caller, flow, grantedOnFlow(held, flow)));
  }

  /** The rules of `mayDecideApproval`. */
  mayDecide(
    caller: Principal,
    approvers: readonly string[],
    play: PlayUnderApproval,
    flow: FlowUnderAccess,
  ): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) =>
      mayDecideApproval(caller, approvers, play, flow, grantedOnFlow(held, flow)),
    );
  }

  /** Which flows the caller sees in lists: the same rule as `may`, as a question to the store. */
  async visibilityOf(caller: Principal, permission: FlowPermission = 'read'): Promise<FlowVisibility> {
    const held = caller.role === 'admin' ? [] : await this.grants.of(caller);
    return {
      all: caller.role === 'admin',
      unrestricted: roleGives(caller.role, permission),
      createdBy: caller.role === 'none' ? null : caller.userId,
      grantedFlowIds: grantedIds(held, 'flow', permission),
      grantedGroupIds: grantedIds(held, 'flow_group', permission),
    };
  }
}
