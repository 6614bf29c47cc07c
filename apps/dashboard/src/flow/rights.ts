import { mayOnFlow, roleGives, type FlowPermission } from '@weft/access';
import { roleOf, useMe, type Me } from '../session/me';
import type { Flow } from './queries';

export type FlowRights = Readonly<Record<FlowPermission, boolean>>;

/**
 * What is shown of a flow: docs/http-api.md §1.8. Only admins and creators can read grants, so for a restricted flow that
 * somebody else opened by a grant the role decides, and the server refuses the rest.
 */
export function rightsOn(me: Me, flow: Flow): FlowRights {
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
