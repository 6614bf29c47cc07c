import { ChoiceField, FreeObjectField, IdListField, IntField, NullOnlyField, TextField } from '../http/fields.js';

/** Contract §8. */
export const MAX_LAYERS = 500;

const REF = /^[A-Za-z][A-Za-z0-9_-]*$/;
const REF_SAYS = 'ref must start with a letter and go on with letters, digits, "_" or "-"';

const HOUR_MS = 3_600_000;

/** What both a new layer and a change of one may say. */
class LayerOptions {
  @TextField({ description: 'For people; the ref when left out.', min: 1, max: 200, optional: true })
  readonly name?: string;

  @IntField({
    description: 'Position from 0, the end when left out. A taken one moves that layer and those behind up.',
    min: 0,
    max: 1_000_000,
    optional: true,
  })
  readonly index?: number;

  @IntField({
    description: 'Time limit of one attempt in milliseconds; null: 30,000.',
    min: 1,
    max: 24 * HOUR_MS,
    optional: true,
    nullable: true,
  })
  readonly timeoutMs?: number | null;

  @ChoiceField({ description: 'What a failure does to the play.', of: ['fail', 'continue'], optional: true })
  readonly onError?: 'fail' | 'continue';

  @ChoiceField({
    description: 'What happens when a worker died in the middle of this layer.',
    of: ['repeat', 'fail'],
    optional: true,
  })
  readonly onInterrupted?: 'repeat' | 'fail';

  @NullOnlyField({ description: 'A condition on the layer.' })
  readonly when?: null;

  @NullOnlyField({ description: 'Attempts after a failure.' })
  readonly retry?: null;

  @NullOnlyField({ description: 'Runs the layer once for each item.' })
  readonly forEach?: null;

  @NullOnlyField({ description: 'Layers of one stage run at the same time.' })
  readonly stage?: null;
}

export class CreateLayerBody extends LayerOptions {
  @TextField({
    description: 'By this name later layers read the output; unique in the flow.',
    min: 1,
    max: 100,
    pattern: REF,
    patternSays: REF_SAYS,
    example: 'fetch',
  })
  readonly ref: string;

  @TextField({ description: 'The module: see /modules.', min: 1, max: 100, example: 'web-request' })
  readonly appId: string;

  @FreeObjectField({
    description: "The module's arguments; texts may hold expressions. {} when left out.",
    optional: true,
  })
  readonly args?: Readonly<Record<string, unknown>>;
}

export class UpdateLayerBody extends LayerOptions {
  @TextField({
    description: 'By this name later layers read the output; unique in the flow.',
    min: 1,
    max: 100,
    pattern: REF,
    patternSays: REF_SAYS,
    optional: true,
  })
  readonly ref?: string;

  @TextField({ description: 'The module: see /modules.', min: 1, max: 100, optional: true })
  readonly appId?: string;

  @FreeObjectField({ description: 'Replaces the arguments as a whole.', optional: true })
  readonly args?: Readonly<Record<string, unknown>>;
}

export class LayerOrderBody {
  @IdListField({ description: 'The ids of all layers, in the new order.', max: MAX_LAYERS })
  readonly layerIds: readonly string[];
}
