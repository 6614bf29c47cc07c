import { Inject, Injectable } from '@nestjs/common';
import type { LayerDefinition } from '@weft/engine';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import type { FlowDocument } from '@weft/records';
import { changed, LAYER_FIELDS, layerOptionsShape, MAX_LAYERS, NO_OPTIONS } from '@weft/shapes';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowEditor, type FlowEdit } from '../flow-editor.js';
import { assertKnown, ResourceKeys } from '../keys/resource-keys.js';
import { assertLayerFits, assertLayersFit } from '../flow-size.js';
import { endIndex, insertLayer, removeLayer, reorderLayers, replaceLayer } from './layer-order.js';
import { assertLayer, assertStages } from './layer-checks.js';
import type { CreateLayerBody, UpdateLayerBody } from './layer.requests.js';
import { withPins } from './pins.js';

const AUDITED = ['index', ...LAYER_FIELDS] as const;

/** The flow whose layers change, the actor, and the version that the change is based on. */
export interface LayerChange {
  readonly actor: Actor;
  readonly flowId: string;
  readonly ifMatch: readonly number[] | null;
}

@Injectable()
export class LayersService {
  constructor(
    private readonly editor: FlowEditor,
    private readonly keys: ResourceKeys,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `ref_taken`, `unknown_app`, `invalid_args`, `invalid_expression`, `invalid_options`, `too_many_layers`, `body_too_large` */
  async create(change: LayerChange, body: CreateLayerBody): Promise<{ flow: FlowDocument; layerId: string }> {
    const layerId = this.newId();
    const args = await this.withIds(change, body.appId, body.args ?? {});
    const flow = await this.edit(change, (before) => {
      if (before.layers.length >= MAX_LAYERS) {
        throw new WeftError('too_many_layers', `A flow has at most ${MAX_LAYERS} layers.`);
      }
      const layer: LayerDefinition = {
        id: layerId,
        name: body.name ?? body.ref,
        ref: body.ref,
        appId: body.appId,
        index: body.index ?? endIndex(before.layers),
        args,
        ...changed(layerOptionsShape, NO_OPTIONS, body),
      };
      assertLayerFits(layer);
      assertFits(before, layer);
      const layers = insertLayer(before.layers, layer);
      assertStages(layers, body.stage === undefined ? 'index' : 'stage');
      const entry = flowEntry(change.actor, 'layer_created', before._id, layerChange(null, layer));
      return { after: this.withLayers(before, layers), entry };
    });
    return { flow, layerId };
  }

  /** @throws WeftError as `create`, `not_found` for a layer that the flow does not have */
  async update(
    change: LayerChange,
    layerId: string,
    body: UpdateLayerBody,
  ): Promise<{ flow: FlowDocument; layerId: string }> {
    let id = layerId;
    const flow = await this.edit(change, async (before) => {
      const present = layerOf(before, layerId);
      id = present.id;
      const args = body.args && (await this.withIds(change, body.appId ?? present.appId, body.args));
      const given: LayerDefinition = {
        id,
        name: body.name ?? present.name,
        ref: body.ref ?? present.ref,
        appId: body.appId ?? present.appId,
        index: body.index ?? present.index,
        args: args ?? present.args,
        ...changed(layerOptionsShape, present, body),
      };
      const [layer = given] = withPins([given], [present]);
      assertLayerFits(layer, present);
      const changes = layerChange(present, layer);
      if (Object.keys(changes).length === 0) return null;
      assertFits(before, layer);
      const layers = replaceLayer(before.layers, layer);
      assertStages(layers, body.stage === undefined ? 'index' : 'stage');
      const entry = flowEntry(change.actor, 'layer_updated', before._id, changes);
      return { after: this.withLayers(before, layers), entry };
    });
    return { flow, layerId: id };
  }

  async remove(change: LayerChange, layerId: string): Promise<FlowDocument> {
    return this.edit(change, (before) => {
      const layer = layerOf(before, layerId);
      const entry = flowEntry(change.actor, 'layer_deleted', before._id, layerChange(layer, null));
      return { after: this.withLayers(before, removeLayer(before.layers, layer.id)), entry };
    });
  }

  async reorder(change: LayerChange, layerIds: readonly string[]): Promise<FlowDocument> {
    return this.edit(change, (before) => {
      const layers = reorderLayers(before.layers, layerIds);
      assertStages(layers, 'layerIds');
      const order = { before: before.layers.map(({ ref }) => ref), after: layers.map(({ ref }) => ref) };
      const entry = flowEntry(change.actor, 'layers_reordered', before._id, { order });
      return { after: this.withLayers(before, layers), entry };
    });
  }

  /** @throws WeftError `unknown_id` of a key in them */
  private async withIds({ actor }: LayerChange, appId: string, args: LayerDefinition['args']) {
    const { flow, faults } = await this.keys.resolved(actor.caller, { layers: [{ appId, args }] });
    assertKnown(faults.map((fault) => ({ ...fault, path: fault.path.replace('layers.0.', '') })));
    return flow.layers[0]?.args ?? args;
  }

  private edit(
    change: LayerChange,
    edit: (flow: FlowDocument) => FlowEdit | null | Promise<FlowEdit | null>,
  ): Promise<FlowDocument> {
    return this.editor.edit({ ...change, permission: 'edit' }, edit);
  }

  private withLayers(flow: FlowDocument, layers: readonly LayerDefinition[]): FlowDocument {
    assertLayersFit(layers, flow.layers);
    return { ...flow, layers, updatedAt: new Date(this.clock.now()) };
  }
}

/**
 * @param name its id, or its ref
 * @throws WeftError `not_found`
 */
export function layerOf({ layers }: Pick<FlowDocument, 'layers'>, name: string): LayerDefinition {
  const layer = layers.find(({ id }) => id === name) ?? layers.find(({ ref }) => ref === name);
  if (!layer) throw new WeftError('not_found', 'The flow has no layer with this id or ref.');
  return layer;
}

function assertFits(flow: FlowDocument, layer: LayerDefinition): void {
  if (flow.layers.some((other) => other.ref === layer.ref && other.id !== layer.id)) {
    const message = `another layer of this flow has the ref "${layer.ref}"`;
    throw new WeftError('ref_taken', `${message}.`, { errors: [{ path: 'ref', code: 'ref_taken', message }] });
  }
  assertLayer(layer);
}

/** A changed layer with its changed fields; a new or removed layer has all its fields. */
function layerChange(before: LayerDefinition | null, after: LayerDefinition | null): ReturnType<typeof changesBetween> {
  const changes = changesBetween(before, after, AUDITED);
  const id = before?.id ?? after?.id ?? null;
  if (Object.keys(changes).length === 0) return {};
  return { layer: { before: before && id, after: after && id }, ...changes };
}
