import type { FlowView, LayerView, Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import type { FlowDocument, FlowHead } from '@weft/persistence';
import { judgementOf } from './judgement/flow-judgement.js';

/** A flow in a list: without its layers. */
export function toFlowHeadView(flow: FlowHead): FlowView {
  return {
    id: flow._id,
    name: flow.name,
    enabled: flow.enabled,
    category: flow.category,
    isBlueprint: flow.isBlueprint,
    company_id: flow.company_id,
    description: flow.description,
    version: flow.version,
    groupId: flow.groupId,
    restricted: flow.restricted,
    when: flow.when,
    settings: flow.settings,
    blueprintId: flow.blueprintId,
    createdBy: flow.createdBy,
    createdAt: flow.createdAt.toISOString(),
    updatedAt: flow.updatedAt.toISOString(),
    filteredAt: flow.filteredAt?.toISOString() ?? null,
  };
}

export async function toFlowView(flow: FlowDocument): Promise<FlowView> {
  return { ...toFlowHeadView(flow), layers: await toLayerViews(flow) };
}

/** The layers in order of execution, each with what is doubtful about it. */
export async function toLayerViews(flow: FlowDocument): Promise<LayerView[]> {
  const { warnings } = await judgementOf(flow);
  return flow.layers.map((layer) => toLayerView(flow._id, layer, warnings[layer.id] ?? []));
}

function toLayerView(flowId: string, layer: LayerDefinition, warnings: readonly Warning[]): LayerView {
  return {
    id: layer.id,
    flowId,
    name: layer.name,
    ref: layer.ref,
    appId: layer.appId,
    index: layer.index,
    args: layer.args,
    when: layer.when,
    retry: layer.retry,
    timeoutMs: layer.timeoutMs,
    onError: layer.onError,
    onInterrupted: layer.onInterrupted,
    forEach: layer.forEach,
    stage: layer.stage,
    warnings,
  };
}
