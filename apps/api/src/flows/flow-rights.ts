import { mayOnFlow, reaches, type FlowPermission, type FlowUnderAccess, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import type { FlowVisibility } from '@weft/persistence';

/** @throws WeftError `denied` */
export function assertMay(caller: Principal, permission: FlowPermission, flow: FlowUnderAccess): void {
  if (!mayOnFlow(caller, permission, flow, [])) {
    throw new WeftError('denied', `You may not ${permission} this flow.`);
  }
}

/** Which flows the caller sees in lists: the same rule as `mayOnFlow` for `read`, as a question to the store. */
export function visibilityOf(caller: Principal): FlowVisibility {
  return {
    all: caller.role === 'admin',
    unrestricted: reaches(caller.role, 'viewer'),
    createdBy: caller.role === 'none' ? null : caller.userId,
  };
}
