import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { GrantCache } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowRepository, IntegrationRepository, type FlowDocument } from '@weft/records';
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

  /**
   * Judges what an edit changes, also by the limits of a key for agents.
   *
   * @param before left out: the flow is new
   * @throws WeftError `denied`, also of `settings.onFailure`, for which `unknown_id` and `invalid_body`; a link
   * that does not exist is not refused, because it gives nothing
   */
  async assertMayUse(caller: Principal, flow: FlowUnderEdit, before?: FlowUnderEdit): Promise<void> {
    const isRewritten = flow.layers !== before?.layers || flow.blueprintVars !== before.blueprintVars;
    if (isRewritten) {
      assertWithinKey(caller, flow, before);
      await this.assertMayCall(caller, flow);
    }
    const { onFailure } = flow.settings;
    if (onFailure && onFailure !== before?.settings.onFailure) await this.assertMayStart(caller, flow, onFailure);
  }

  /**
   * Judges all of what a run would use, whoever wrote it. Links and flows that do not exist are not refused.
   *
   * @throws WeftError `denied`
   */
  async assertMayRun(caller: Principal, flow: FlowUnderEdit): Promise<void> {
    assertWithinKey(caller, flow, undefined);
    await this.assertMayCall(caller, flow);
    const { onFailure } = flow.settings;
    const started = onFailure ? await this.flows.find(new TenantScope(caller.companyId), onFailure) : null;
    if (started && !(await this.rights.may(caller, 'execute', started))) {
      throw unfit('denied', 'you may not execute this flow');
    }
  }

  /** The flow that failures start: unlike the flows of layers it must be there, because nobody watches for it. */
  private async assertMayStart(caller: Principal, { _id }: FlowUnderEdit, onFailure: string): Promise<void> {
    if (caller.mcp?.flow_ids?.includes(onFailure) === false) throw unfit('denied', KEY_FOR_OTHERS);
    if (onFailure === _id) throw unfit('invalid_body', 'a flow cannot handle its own failures');
    const flow = await this.flows.find(new TenantScope(caller.companyId), onFailure);
    if (!flow) throw unfit('unknown_id', 'there is no flow with this id');
    if (flow.isBlueprint) throw unfit('invalid_body', 'a blueprint is not run: name a flow that is made from it');
    if (!(await this.rights.may(caller, 'execute', flow))) throw unfit('denied', 'you may not execute this flow');
  }

  private async assertMayCall(caller: Principal, flow: FlowUnderEdit): Promise<void> {
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

const KEY_FOR_OTHERS = 'this API key is for certain flows, and that is none of them';

/**
 * A flow runs with the rights of whoever runs it: a key for certain flows would reach all others by what it writes into one of
 * them. Flows that the layers have run before stay.
 */
function assertWithinKey({ mcp }: Principal, flow: FlowUnderEdit, before: FlowUnderEdit | undefined): void {
  if (!mcp?.flow_ids) return;
  const known = flowsRun(before?.layers ?? [], before?.blueprintVars);
  const allowed = new Set([...mcp.flow_ids, ...known.map(({ flowId }) => flowId)]);
  for (const { ref, flowId } of flowsRun(flow.layers, flow.blueprintVars)) {
    if (flowId === null)
      throw refusal(ref, 'an expression decides on the flow that is run: not by a key for certain flows');
    if (!allowed.has(flowId)) throw refusal(ref, KEY_FOR_OTHERS);
  }
}

type FlowUnderEdit = Pick<FlowDocument, '_id' | 'layers' | 'blueprintVars' | 'settings'>;

function unfit(code: 'denied' | 'unknown_id' | 'invalid_body', message: string): WeftError {
  const path = 'settings.onFailure';
  return new WeftError(code, `${path}: ${message}.`, { errors: [{ path, code, message }] });
}

function refusal(ref: string, why: string): WeftError {
  const message = `in layer "${ref}" ${why}`;
  return new WeftError('denied', `The flow cannot be written or run so by you: ${message}.`, {
    errors: [{ path: `layers.${ref}.args`, code: 'denied', message }],
  });
}
