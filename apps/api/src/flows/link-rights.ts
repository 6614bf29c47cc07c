import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { IntegrationRepository, Mongo, TenantScope, type FlowDocument } from '@weft/persistence';
import { mayUseLink } from '../integrations/integration-rights.js';
import { linksUsed } from '../integrations/links-used.js';

/**
 * Who says what a layer calls decides where the token of its link goes. So whoever writes the layers of a flow must be one who may
 * use each link in it; of a link that only a run will know, that are the admins.
 */
@Injectable()
export class LinkRights {
  private readonly integrations: IntegrationRepository;

  constructor(
    mongo: Mongo,
    private readonly grants: GrantCache,
  ) {
    this.integrations = new IntegrationRepository(mongo);
  }

  /** @throws WeftError `denied`; a link that is not there is not refused: it opens nothing */
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
  }
}

function refusal(ref: string, why: string): WeftError {
  const message = `in layer "${ref}" ${why}`;
  return new WeftError('denied', `The flow cannot be written by you: ${message}.`, {
    errors: [{ path: `layers.${ref}.args`, code: 'denied', message }],
  });
}
