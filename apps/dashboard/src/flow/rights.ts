import { mayOnFlow, roleGives, type FlowPermission } from '@weft/access';
import { roleOf, useMe, type Me } from '../session/me';
import type { Flow } from './queries';

export type FlowRights = Readonly<Record<FlowPermission, boolean>>;

/** What is shown of a flow: docs/http-api.md §1.8. Until the flow itself is read, a list says nothing of grants: the role decides. */
export function rightsOn(me: Me, flow: Flow): FlowRights {
  const { permissions } = flow;
  if (permissions) {
    const has = (permission: FlowPermission): boolean => permissions.includes(permission);
    return { read: has('read'), execute: has('execute'), edit: has('edit'), delete: has('delete') };
  }
  const role = roleOf(me);
  const caller = { userId: me.user.id, companyId: me.company_id, role };
  const subject = { ...flow, _id: flow.id };
  const may = (permission: FlowPermission): boolean =>
    mayOnFlow(caller, permission, subject, []) || (flow.restricted && roleGives(role, permission));
  return { read: may('read'), execute: may('execute'), edit: may('edit'), delete: may('delete') };
}

export function useFlowRights(flow: Flow): FlowRights {
  return rightsOn(useMe(), flow);
}
