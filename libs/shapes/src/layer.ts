/**
 * A layer as people write it: each field once, with its bounds, what holds where it is left out, an example, and what it is for.
 * A field that is added after 1.0 is `.nullable().optional()`: stored flows do not have it.
 */
import { z } from 'zod';
import { DAY_MS, expression, freeObject } from './bounds.js';
import type { Plain, Shown } from './plain.js';

/** Layers of one flow: docs/operator-contract.md §1. */
export const MAX_LAYERS = 500;

const MAX_DELAY_MS = 60_000;

const REF = /^(?!args$)[A-Za-z][A-Za-z0-9_-]*$/;
const REF_SAYS =
  'must start with a letter and go on with letters, digits, "_" or "-"; "args" is taken by the arguments of the run';

const pauseMs = z.int().min(0).max(DAY_MS);

const retryFields = z.strictObject({
  attempts: z.int().min(1).max(20).describe('Calls in all, the first one included.'),
  backoff: z
    .enum(['fixed', 'exponential'])
    .describe('Whether the pause stays the same, or doubles with each failure. exponential when left out.'),
  delayMs: pauseMs.describe(
    'Milliseconds before the second call, 1,000 when left out; a random part of up to a half is taken off.',
  ),
  maxDelayMs: pauseMs.describe(
    'No pause is longer, in milliseconds. 60,000, or delayMs where that is more, when left out.',
  ),
  on: z
    .array(z.string().regex(/^[a-z0-9_-]{1,40}$/))
    .max(50)
    .optional()
    .meta({
      description:
        'After which failures: statuses ("429", "5xx", "500-504") and error codes ("timeout", "connect"). When left out: after all that may pass, which a 4xx other than 408, 409, 421, 423, 425 and 429 does not.',
      examples: [['429', '5xx', 'timeout', 'connect']],
    }),
});

const retry = retryFields
  .extend({
    backoff: retryFields.shape.backoff.default('exponential'),
    delayMs: retryFields.shape.delayMs.default(1_000),
    maxDelayMs: retryFields.shape.maxDelayMs.optional(),
  })
  .meta({ examples: [{ attempts: 3 }] })
  .transform((given) => ({ ...given, maxDelayMs: given.maxDelayMs ?? Math.max(given.delayMs, MAX_DELAY_MS) }))
  .pipe(retryFields);

const forEach = z
  .strictObject({
    in: expression('{{ .fetch.json.orders }}').describe(
      'One expression in braces that gives a list of at most 10,000 items.',
    ),
    concurrency: z.int().min(1).max(100).default(1).describe('Items that run at the same time; 1 when left out.'),
    onItemError: z
      .enum(['fail', 'collect'])
      .optional()
      .describe(
        'fail (the default): an item that fails ends the loop. collect: the output is a list of { ok, out, error }, one for each item.',
      ),
  })
  .overwrite(({ onItemError, ...given }) => ({ ...given, ...(onItemError === 'collect' && { onItemError }) }));

const repeat = z.strictObject({
  until: expression('{{ $repeat.out.json.status = "done" }}').describe(
    'One expression in braces over $repeat.out, the output of the round, and $repeat.index: when it is true, this was the last round.',
  ),
  max: z
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe('Rounds in all, 100 when left out: after them the layer fails with repeat_exhausted.'),
  delayMs: pauseMs
    .default(0)
    .describe('Milliseconds between two rounds, 0 when left out. The play gives up its slot for more than 2,000.'),
});

/** How a layer is run, as opposed to what it does. */
const options = {
  when: expression('{{ $prev.args.urgent }}')
    .nullable()
    .default(null)
    .describe('One expression in braces: when it is no (false, null, 0, "", "false"), the layer is FILTERED.'),
  retry: retry.nullable().prefault(null).describe('Further calls after a failure; null: none.'),
  timeoutMs: z
    .int()
    .min(1)
    .max(DAY_MS)
    .nullable()
    .default(null)
    .describe('Time limit of one attempt in milliseconds; null: 30,000.'),
  onError: z.enum(['fail', 'continue']).default('fail').describe('What a failure does to the play.'),
  onInterrupted: z
    .enum(['repeat', 'fail'])
    .default('repeat')
    .describe('What happens when a worker died in the middle of this layer.'),
  forEach: forEach
    .nullable()
    .default(null)
    .meta({ description: 'Runs the layer once for each item.', examples: [{ in: '{{ .fetch.json.orders }}' }] }),
  repeat: repeat
    .nullable()
    .optional()
    .describe('Runs the layer again until a condition is true; its output is that of the last round.'),
  stage: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe('Neighbours that name the same stage run at the same time; null: the layer runs alone.'),
};

export const layerShape = z.strictObject({
  ref: z
    .string()
    .min(1)
    .max(100)
    .regex(REF, REF_SAYS)
    .meta({
      description: 'By this name later layers read the output; unique in the flow.',
      examples: ['fetch'],
    }),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'For people; the ref when left out.', examples: ['Fetch the order'] }),
  appId: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The module: see /modules.', examples: ['web-request'] }),
  args: freeObject.default({}).meta({
    description: "The module's arguments; texts may hold expressions. {} when left out.",
    examples: [{ url: 'https://api.example.com/orders/{{ $prev.args.order }}' }],
  }),
  ...options,
});

export const layerOptionsShape = z.strictObject(options);

/** A layer without options. */
export const NO_OPTIONS: LayerOptions = layerOptionsShape.parse({});

/** A layer with what holds for each field that was left out; `repeat` is left out where the layer does not repeat. */
export type Layer = Plain<z.output<typeof layerShape>>;
export type LayerOptions = Plain<z.output<typeof layerOptionsShape>>;
/** With every field, as the API shows it. */
export type ShownLayer = Shown<Layer>;
export type RetryOptions = NonNullable<Layer['retry']>;
export type ForEachOptions = NonNullable<Layer['forEach']>;
export type RepeatOptions = NonNullable<Layer['repeat']>;

/** The fields of a layer that users set, except its position: those that are compared, edited and audited. */
export const LAYER_FIELDS = Object.keys(layerShape.shape) as readonly (keyof Layer)[];

/** With every field, in the order of the shape. */
export function shownLayer(layer: Layer): ShownLayer {
  return Object.fromEntries(LAYER_FIELDS.map((field) => [field, layer[field] ?? null])) as unknown as ShownLayer;
}

/** From which the dashboard makes its form. */
export function layerOptionsJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(layerOptionsShape, { io: 'input' });
}
