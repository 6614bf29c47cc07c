import { layerShape, MAX_LAYERS } from '@weft/shapes';
import { bodyOf } from '../../http/body-of.js';
import { FreeObjectField, IdListField, IntField, TextField } from '../../http/fields.js';

/** A position, as both a new layer and a change of one may say it. */
const PLACE = {
  description: 'Position from 0, the end when left out. A taken one moves that layer and those behind up.',
  min: 0,
  max: 1_000_000,
  optional: true,
} as const;

export class CreateLayerBody extends bodyOf(layerShape) {
  @IntField(PLACE)
  readonly index?: number;
}

/** A layer among all layers of a flow, in their order. */
export class FlowLayerBody extends bodyOf(layerShape) {
  @TextField({
    description: 'The layer of the flow that this is; without it, the one with this ref; else it is a new one.',
    min: 1,
    max: 100,
    optional: true,
  })
  readonly id?: string;
}

export class UpdateLayerBody extends bodyOf(layerShape.partial().omit({ args: true })) {
  @IntField(PLACE)
  readonly index?: number;

  @FreeObjectField({ description: 'Replaces the arguments as a whole.', optional: true })
  readonly args?: Readonly<Record<string, unknown>>;
}

export class LayerOrderBody {
  @IdListField({
    description: 'The ids of all layers, in the new order.',
    max: MAX_LAYERS,
    example: ['06dqx3v8k2m7w0r5t9ya', '06dqx3v8k2m7w0r5t9yb'],
  })
  readonly layerIds: readonly string[];
}
