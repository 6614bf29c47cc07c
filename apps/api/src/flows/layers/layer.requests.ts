import {
  ChoiceField,
  FreeObjectField,
  IdListField,
  IntField,
  NameListField,
  NestedField,
  TextField,
} from '../../http/fields.js';

/** Layers of one flow: docs/operator-contract.md §1. */
export const MAX_LAYERS = 500;

const REF = /^(?!args$)[A-Za-z][A-Za-z0-9_-]*$/;
const REF_SAYS =
  'ref must start with a letter and go on with letters, digits, "_" or "-"; "args" is taken by the arguments of the run';

const HOUR_MS = 3_600_000;

/** As long as a text with expressions may be: docs/operator-contract.md §1. */
const MAX_EXPRESSION_CHARS = 65_536;

class RetryBody {
  @IntField({ description: 'Calls in all, the first one included.', min: 1, max: 20 })
  readonly attempts: number;

  @ChoiceField({
    description: 'Whether the pause stays the same, or doubles with each failure. exponential when left out.',
    of: ['fixed', 'exponential'],
    optional: true,
  })
  readonly backoff?: 'fixed' | 'exponential';

  @IntField({
    description:
      'Milliseconds before the second call, 1,000 when left out; a random part of up to a half is taken off.',
    min: 0,
    max: 24 * HOUR_MS,
    optional: true,
  })
  readonly delayMs?: number;

  @IntField({
    description: 'No pause is longer, in milliseconds. 60,000, or delayMs where that is more, when left out.',
    min: 0,
    max: 24 * HOUR_MS,
    optional: true,
  })
  readonly maxDelayMs?: number;

  @NameListField({
    description:
      'After which failures: statuses ("429", "5xx", "500-504") and error codes ("timeout", "connect"). When left out: after all that may pass, which a 4xx other than 408, 409, 421, 423, 425 and 429 does not.',
    max: 50,
    pattern: /^[a-z0-9_-]{1,40}$/,
    optional: true,
    example: ['429', '5xx', 'timeout', 'connect'],
  })
  readonly on?: readonly string[];
}

class ForEachBody {
  @TextField({
    description: 'One expression in braces that gives a list of at most 10,000 items.',
    min: 1,
    max: MAX_EXPRESSION_CHARS,
    example: '{{ .fetch.json.orders }}',
  })
  readonly in: string;

  @IntField({ description: 'Items that run at the same time; 1 when left out.', min: 1, max: 100, optional: true })
  readonly concurrency?: number;

  @ChoiceField({
    description:
      'fail (the default): an item that fails ends the loop. collect: the output is a list of { ok, out, error }, one for each item.',
    of: ['fail', 'collect'],
    optional: true,
  })
  readonly onItemError?: 'fail' | 'collect';
}

class RepeatBody {
  @TextField({
    description:
      'One expression in braces over $repeat.out, the output of the round, and $repeat.index: when it is true, this was the last round.',
    min: 1,
    max: MAX_EXPRESSION_CHARS,
    example: '{{ $repeat.out.json.status = "done" }}',
  })
  readonly until: string;

  @IntField({
    description: 'Rounds in all, 100 when left out: after them the layer fails with repeat_exhausted.',
    min: 1,
    max: 10_000,
    optional: true,
  })
  readonly max?: number;

  @IntField({
    description: 'Milliseconds between two rounds, 0 when left out. The play gives up its slot for more than 2,000.',
    min: 0,
    max: 24 * HOUR_MS,
    optional: true,
  })
  readonly delayMs?: number;
}

/** What both a new layer and a change of one may say. */
class LayerOptions {
  @TextField({
    description: 'For people; the ref when left out.',
    min: 1,
    max: 200,
    optional: true,
    example: 'Fetch the order',
  })
  readonly name?: string;

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

  @TextField({
    description: 'One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.',
    min: 1,
    max: MAX_EXPRESSION_CHARS,
    optional: true,
    nullable: true,
    example: '{{ $prev.args.urgent }}',
  })
  readonly when?: string | null;

  @NestedField(RetryBody, {
    description: 'Further calls after a failure; null: none.',
    optional: true,
    nullable: true,
    suchAs: { attempts: 3 },
  })
  readonly retry?: RetryBody | null;

  @NestedField(ForEachBody, {
    description: 'Runs the layer once for each item.',
    optional: true,
    nullable: true,
    suchAs: { in: '{{ .fetch.json.orders }}' },
  })
  readonly forEach?: ForEachBody | null;

  @NestedField(RepeatBody, {
    description: 'Runs the layer again until a condition is true; its output is that of the last round.',
    optional: true,
    nullable: true,
  })
  readonly repeat?: RepeatBody | null;

  @TextField({
    description: 'Neighbours that name the same stage run at the same time; null: the layer runs alone.',
    min: 1,
    max: 100,
    optional: true,
    nullable: true,
  })
  readonly stage?: string | null;
}

/** All that a layer says of itself, its place among the others left aside. */
class WholeLayer extends LayerOptions {
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
    example: { url: 'https://api.example.com/orders/{{ $prev.args.order }}' },
  })
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A position, as both a new layer and a change of one may say it. */
const PLACE = {
  description: 'Position from 0, the end when left out. A taken one moves that layer and those behind up.',
  min: 0,
  max: 1_000_000,
  optional: true,
} as const;

export class CreateLayerBody extends WholeLayer {
  @IntField(PLACE)
  readonly index?: number;
}

/** A layer among all layers of a flow, in their order. */
export class FlowLayerBody extends WholeLayer {
  @TextField({
    description: 'The layer of the flow that this is; without it, the one with this ref; else it is a new one.',
    min: 1,
    max: 100,
    optional: true,
  })
  readonly id?: string;
}

export class UpdateLayerBody extends LayerOptions {
  @IntField(PLACE)
  readonly index?: number;

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
  @IdListField({
    description: 'The ids of all layers, in the new order.',
    max: MAX_LAYERS,
    example: ['06dqx3v8k2m7w0r5t9ya', '06dqx3v8k2m7w0r5t9yb'],
  })
  readonly layerIds: readonly string[];
}
