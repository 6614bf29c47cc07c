import { layerShape, MAX_LAYERS } from '@weft/shapes';
import { bodyOf } from '../../http/body-of.js';
import { FlagField, FreeObjectField, IntField, NestedField, NestedListField } from '../../http/fields.js';
import { FlowLayerBody } from '../layers/layer.requests.js';

class TriedLayerBody extends bodyOf(layerShape.partial({ appId: true })) {}

export class LayerTryBody {
  @NestedField(TriedLayerBody, {
    description: 'The layer as it is to be called, saved or not; with `ref` alone the one that the flow has.',
    suchAs: { ref: 'fetch', appId: 'web-request', args: { url: 'https://example.com/' } },
  })
  readonly layer!: TriedLayerBody;

  @FreeObjectField({ description: 'Arguments of the run. {} when left out.', optional: true })
  readonly args?: Readonly<Record<string, unknown>>;

  @FreeObjectField({
    description:
      'Ref → the out of an earlier layer. Those left out are the samples of the flow; layers that reach nobody are computed.',
    optional: true,
  })
  readonly outs?: Readonly<Record<string, unknown>>;

  @IntField({
    description: 'Of a layer with `forEach`: which item of its list, from 0; 0 when left out.',
    min: 0,
    max: 9_999,
    optional: true,
  })
  readonly item?: number;

  @FlagField({
    description: 'Makes a call that may change something: any but GET, HEAD and other reads.',
    optional: true,
  })
  readonly confirm?: boolean;

  @NestedListField(FlowLayerBody, {
    description: 'All layers of a draft, in their order: those before the layer are computed as they are there.',
    max: MAX_LAYERS,
    optional: true,
  })
  readonly layers?: readonly FlowLayerBody[];
}
