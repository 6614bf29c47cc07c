import { Injectable } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import type { TenantScope } from '@weft/persistence';

/** Whether a flow may be put into a flow group. */
@Injectable()
export class FlowGroups {
  /** @throws WeftError `unknown_id` when the company has no such group */
  async assertKnown(_scope: TenantScope, groupId: string | null | undefined): Promise<void> {
    if (groupId === null || groupId === undefined) return;
    const message = 'the company has no flow group with this id';
    throw new WeftError('unknown_id', `${message}.`, { errors: [{ path: 'groupId', code: 'unknown_id', message }] });
  }
}
