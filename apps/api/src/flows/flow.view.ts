import { Injectable } from '@nestjs/common';
import type { FlowView, LayerView, Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { publishedVersionOf, type FlowDocument, type FlowHead, type FlowJudgement } from '@weft/records';
import { shownLayer, shownSettings } from '@weft/shapes';
import { Destinations } from './destinations.js';
import { NamedIds } from './named-ids.js';
import { judgementOf } from './judgement/flow-judgement.js';

/** A flow in a list: without its layers. */
export function toFlowHeadView(flow: FlowHead): FlowView {
  return {
    id: flow._id,
    key: flow.key ?? null,
    name: flow.name,
    enabled: flow.enabled,
    category: flow.category,
    isBlueprint: flow.isBlueprint,
    company_id: flow.company_id,
    description: flow.description,
    version: flow.version,
    publishedVersion: publishedVersionOf(flow),
    groupId: flow.groupId,
    restricted: flow.restricted,
    when: flow.when,
    settings: shownSettings(flow.settings),
    argsSchema: flow.argsSchema ?? null,
    blueprintId: flow.blueprintId,
    createdBy: flow.createdBy,
    createdAt: flow.createdAt.toISOString(),
    updatedAt: flow.updatedAt.toISOString(),
    filteredAt: flow.filteredAt?.toISOString() ?? null,
    valid: flow.judgement?.valid ?? null,
    errors: flow.judgement?.errors ?? [],
  };
}

/** Views of whole flows and layers, with their faults and warnings. */
@Injectable()
export class FlowViews {
  constructor(
    private readonly destinations: Destinations,
    private readonly ids: NamedIds,
  ) {}

  async flow(flow: FlowDocument): Promise<FlowView> {
    const judgement = await judgementOf(flow);
    return { ...toFlowHeadView({ ...flow, judgement }), layers: await this.layerViews(flow, judgement) };
  }

  /** In order of execution. */
  async layers(flow: FlowDocument): Promise<LayerView[]> {
    return this.layerViews(flow, await judgementOf(flow));
  }

  private async layerViews(flow: FlowDocument, { warnings }: FlowJudgement): Promise<LayerView[]> {
    const ofIds = await this.ids.warningsOf(flow);
    return flow.layers.map((layer) =>
      toLayerView(flow._id, layer, [
        ...(warnings[layer.id] ?? []),
        ...this.destinations.warningsOf(layer),
        ...(ofIds.get(layer.id) ?? []),
      ]),
    );
  }
}

function toLayerView(flowId: string, layer: LayerDefinition, warnings: readonly Warning[]): LayerView {
  return { id: layer.id, flowId, index: layer.index, ...shownLayer(layer), warnings };
}
