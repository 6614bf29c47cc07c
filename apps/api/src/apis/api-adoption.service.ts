import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, WeftError, type Clock } from '@weft/kernel';
import { withPin } from '@weft/layers';
import { ApiOperationRepository, type ApiFound, type ApiKind, type FlowDocument } from '@weft/records';
import { TenantScope } from '@weft/store';
import type { Actor } from '../audit/actor-entry.js';
import { Enabling } from '../flows/enabling.js';
import { flowEntry } from '../flows/flow-audit.js';
import { FlowEditor } from '../flows/flow-editor.js';
import type { AdoptionView } from './api-diff.view.js';
import { ApisService } from './apis.service.js';
import { operationsOf } from './operation-layer.js';

/** Has flows call the operations of an API as its last import has them, each in a new version. */
@Injectable()
export class ApiAdoptionService {
  constructor(
    private readonly apis: ApisService,
    private readonly operations: ApiOperationRepository,
    private readonly editor: FlowEditor,
    private readonly enabling: Enabling,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** One flow after the other; a refusal of one stops no other. @throws WeftError `not_found` */
  async adopt(actor: Actor, kind: ApiKind, name: string, flowIds: readonly string[]): Promise<AdoptionView[]> {
    const api = await this.apis.read(actor.caller, kind, name);
    const items: AdoptionView[] = [];
    for (const flowId of flowIds) items.push(await this.adoptIn(actor, api, flowId));
    return items;
  }

  private async adoptIn(actor: Actor, api: ApiFound, flowId: string): Promise<AdoptionView> {
    let isChanged = false;
    let version: number | null = null;
    try {
      const after = await this.editor.edit({ actor, flowId, permission: 'edit', ifMatch: null }, async (before) => {
        ({ version } = before);
        const next = await this.withCurrent(before, api);
        isChanged = next !== before;
        if (!isChanged) return null;
        // its required test cases run before it is stored
        if (next.enabled && !next.isBlueprint) await this.enabling.assertAllowed(next);
        const changes = { operations: { before: pinsIn(before, api), after: pinsIn(next, api) } };
        return { after: next, entry: flowEntry(actor, 'flow_updated', flowId, changes) };
      });
      const result = isChanged ? 'adopted' : 'unchanged';
      return { flowId, result, version: after.version, code: null, message: null, errors: [] };
    } catch (error) {
      if (!(error instanceof WeftError)) throw error;
      const { code, message, errors } = error;
      return { flowId, result: 'refused', version, code, message, errors };
    }
  }

  /** The same flow where nothing differs. An operation that is gone stays as it is. */
  private async withCurrent(flow: FlowDocument, api: ApiFound): Promise<FlowDocument> {
    const scope = new TenantScope(flow.company_id);
    const layers = [];
    for (const layer of flow.layers) {
      let current = layer;
      for (const pinned of operationsOf(layer, api)) {
        const digest = await this.operations.currentDigest(scope, api._id, pinned.operation);
        if (digest === null || digest === pinned.digest) continue;
        current = { ...current, args: withPin(current.args, pinned, digest) };
      }
      layers.push(current);
    }
    if (layers.every((layer, i) => layer === flow.layers[i])) return flow;
    return { ...flow, layers, updatedAt: new Date(this.clock.now()) };
  }
}

/** `<ref>: <operation>@<digest>` of the layers that call this API. */
function pinsIn({ layers }: FlowDocument, api: ApiFound): string[] {
  return layers.flatMap((layer) =>
    operationsOf(layer, api).map(({ operation, digest }) => `${layer.ref}: ${operation}@${digest}`),
  );
}
