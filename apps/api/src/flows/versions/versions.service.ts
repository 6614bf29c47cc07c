import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { FlowDiffView, FlowVersionView, Page } from '@weft/contracts';
import { WeftError, type Clock, CLOCK } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowVersionRepository, isPublishedByHand, type FlowDocument, type FlowVersionDocument } from '@weft/records';
import { toPage, toPageRequest, type PageQuery } from '../../http/paging.js';
import { Enabling } from '../enabling.js';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowEditor } from '../flow-editor.js';
import { FlowsService } from '../flows.service.js';
import { diffFlows } from './diff-flows.js';
import { FlowViews } from '../flow.view.js';
import { flowAt, toVersionHeadView, toVersionView } from './version.view.js';

const VERSION_NUMBER = /^[1-9]\d{0,8}$/;

/**
 * The fields that restoring a version brings back besides its layers. The flow's state (enabled, restricted, its group) is
 * not restored with its content: a restore must not silently lift a restriction or start a stopped flow.
 */
const RESTORED = [
  'name',
  'category',
  'description',
  'isBlueprint',
  'when',
  'settings',
  'argsSchema',
  'blueprintVars',
] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class VersionsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly versions: FlowVersionRepository,
    private readonly editor: FlowEditor,
    private readonly enabling: Enabling,
    private readonly views: FlowViews,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(caller: Principal, flowId: string, query: PageQuery): Promise<Page<FlowVersionView>> {
    const request = toPageRequest(query, (text) => VERSION_NUMBER.test(text));
    const flow = await this.flows.read(caller, flowId);
    const found = await this.versions.list(new TenantScope(caller.companyId), flowId, request);
    return toPage(request, found, (version) => toVersionHeadView(version, flow));
  }

  /** @throws WeftError `not_found`, `denied` */
  async read(caller: Principal, flowId: string, number: string): Promise<FlowVersionView> {
    const flow = await this.flows.read(caller, flowId);
    return toVersionView(await this.find(caller, flowId, number), flow, this.views);
  }

  /** @param to the present version when left out */
  async diff(caller: Principal, flowId: string, number: string, to: number | undefined): Promise<FlowDiffView> {
    const flow = await this.flows.read(caller, flowId);
    const [from, until] = await Promise.all([
      this.find(caller, flowId, number).then((version) => flowAt(version, flow)),
      to === undefined ? flow : this.find(caller, flowId, String(to)).then((version) => flowAt(version, flow)),
    ]);
    return { from: from.version, to: until.version, changes: diffFlows(from, until) };
  }

  /**
   * Makes a new version with the content of an earlier one.
   *
   * @throws WeftError of `FlowEditor.edit`, of `Enabling` when the flow is enabled
   */
  async restore(
    actor: Actor,
    flowId: string,
    number: string,
    ifMatch: readonly number[] | null,
  ): Promise<FlowDocument> {
    return this.editor.edit({ actor, flowId, permission: 'edit', ifMatch }, async (before) => {
      const version = await this.find(actor.caller, flowId, number);
      const source = flowAt(version, before);
      const fields = Object.fromEntries(RESTORED.map((field) => [field, source[field]])) as Partial<FlowDocument>;
      const updatedAt = new Date(this.clock.now());
      const settings = { ...source.settings, publish: before.settings.publish ?? 'auto' };
      const after: FlowDocument = { ...before, ...fields, settings, layers: source.layers, updatedAt };
      if (diffFlows(before, after).length === 0) return null;
      if (after.enabled && !isPublishedByHand(after)) await this.enabling.assertAllowed(after);
      const changes = {
        restored: { before: before.version, after: version.version },
        ...changesBetween(before, after, RESTORED),
        // the layers themselves are in both versions, which never change
        layers: { before: before.layers.map(({ ref }) => ref), after: after.layers.map(({ ref }) => ref) },
      };
      return { after, entry: flowEntry(actor, 'flow_version_restored', flowId, changes) };
    });
  }

  private async find(caller: Principal, flowId: string, number: string): Promise<FlowVersionDocument> {
    const found = VERSION_NUMBER.test(number)
      ? await this.versions.findWhole(new TenantScope(caller.companyId), flowId, Number(number))
      : null;
    if (!found) throw new WeftError('not_found', 'The flow has no version with this number.');
    return found;
  }
}
