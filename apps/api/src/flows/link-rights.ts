import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { FlowRepository, IntegrationRepository, TenantScope, type FlowDocument } from '@weft/persistence';
import { mayUseLink } from '../integrations/integration-rights.js';
import { linksUsed } from '../integrations/links-used.js';
import { FlowRights } from './flow-rights.js';
import { flowsRun } from './flows-run.js';

/**
 * A layer decides where the token of its integration link is sent. So whoever edits the layers of a flow must have the right
 * to use each link in it; for a link whose id only a run knows, they must be an admin. The same applies to the flows that it
 * runs.
 */
@Injectable()
export class LinkRights {
  constructor(
    private readonly integrations: IntegrationRepository,
    private readonly grants: GrantCache,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
  ) {}

  /** @throws WeftError `denied`; a link that does not exist is not refused, because it gives nothing */
  async assertMayUse(caller: Principal, flow: Pick<FlowDocument, 'layers' | 'blueprintVars'>): Promise<void> {
    if (caller.role === 'admin') return;
    const scope = new TenantScope(caller.companyId);
    for (const { ref, integrationId } of linksUsed(flow.layers, flow.blueprintVars)) {
      if (integrationId === null) throw refusal(ref, 'an expression decides on the integration: that is for admins');
      const link = await this.integrations.find(scope, integrationId);
      if (!link) continue;
      const may = await this.grants.decide(caller, (held) =>
        mayUseLink(
          caller,
          link,
          held.flatMap((grants) => grants.on('integration', link._id)),
        ),
      );
      if (!may) throw refusal(ref, 'you may not use its integration: "execute" on it must be granted to you');
    }
    for (const { ref, flowId } of flowsRun(flow.layers, flow.blueprintVars)) {
      if (flowId === null) throw refusal(ref, 'an expression decides on the flow that is run: that is for admins');
      const called = await this.flows.find(scope, flowId);
      if (called && !(await this.rights.may(caller, 'execute', called))) {
        throw refusal(ref, 'you may not execute the flow that it runs');
      }
    }
  }
}

function refusal(ref: string, why: string): WeftError {
  const message = `in layer "${ref}" ${why}`;
  return new WeftError('denied', `The flow cannot be written by you: ${message}.`, {
    errors: [{ path: `layers.${ref}.args`, code: 'denied', message }],
  });
}
