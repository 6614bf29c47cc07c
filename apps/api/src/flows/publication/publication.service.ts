import { Injectable } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import {
  FlowRepository,
  FlowVersionRepository,
  isPublishedByHand,
  publishedVersionOf,
  type FlowDocument,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { Enabling } from '../enabling.js';
import { flowEntry, type Actor } from '../flow-audit.js';
import { EDIT_ATTEMPTS, editedAllTheTime, versionConflict } from '../flow-editor.js';
import { FlowsService } from '../flows.service.js';
import { LinkRights } from '../link-rights.js';
import { flowAt } from '../versions/version.view.js';

/** Decides which version of a flow its runs use, where changes are drafts until they are published (`settings.publish: manual`). */
@Injectable()
export class PublicationService {
  constructor(
    private readonly flows: FlowsService,
    private readonly repository: FlowRepository,
    private readonly versions: FlowVersionRepository,
    private readonly enabling: Enabling,
    private readonly links: LinkRights,
    private readonly bus: InvalidationBus,
  ) {}

  /**
   * Makes a version the one that runs use. Of several callers at once one comes after the other.
   *
   * @param wanted left out: the last version
   * @param ifMatch numbers of which the flow's last version must be one; null: any
   * @throws WeftError `not_found`, `denied`, `version_conflict`, `publishes_by_itself`, `unknown_id`; of `Enabling`; for an
   * earlier version of `LinkRights`
   */
  async publish(
    actor: Actor,
    flowId: string,
    wanted: number | undefined,
    ifMatch: readonly number[] | null,
  ): Promise<FlowDocument> {
    for (let attempt = 1; attempt <= EDIT_ATTEMPTS; attempt += 1) {
      const flow = await this.flows.read(actor.caller, flowId, 'edit');
      if (ifMatch && !ifMatch.includes(flow.version)) throw versionConflict(flow.version);
      if (!isPublishedByHand(flow)) throw publishesByItself();
      const version = wanted ?? flow.version;
      const before = publishedVersionOf(flow);
      if (before === version) return flow;
      const published = await this.find(flow, version);
      // like a restore: what somebody else has taken out comes back
      if (version !== flow.version) await this.links.assertMayUse(actor.caller, published, flow);
      await this.enabling.assertAllowed(published);
      const entry = flowEntry(actor, 'flow_published', flowId, { publishedVersion: { before, after: version } });
      if (await this.repository.publish(new TenantScope(flow.company_id), flow, version, entry)) {
        this.bus.publish({ kind: 'flow', id: flowId });
        return { ...flow, publishedVersion: version };
      }
    }
    throw editedAllTheTime();
  }

  private async find(flow: FlowDocument, version: number): Promise<FlowDocument> {
    if (version === flow.version) return flow;
    const found = await this.versions.findWhole(new TenantScope(flow.company_id), flow._id, version);
    if (found) return { ...flowAt(found, flow), isBlueprint: flow.isBlueprint };
    const message = `the flow has no version ${version}: its last one is ${flow.version}`;
    throw new WeftError('unknown_id', `version: ${message}.`, {
      errors: [{ path: 'version', code: 'unknown_id', message }],
    });
  }
}

function publishesByItself(): WeftError {
  const message =
    'Each change of this flow applies at once. Set settings.publish to "manual" to publish versions, or restore an earlier one.';
  return new WeftError('publishes_by_itself', message);
}
