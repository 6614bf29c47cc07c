/** A flow and its settings as people write them: docs/flows.md. `layer.ts` says how a field is written. */
import { z } from 'zod';
import { DAY_MS, expression, freeObject, seenName } from './bounds.js';
import { labelsShape } from './labels.js';
import type { Plain, Shown } from './plain.js';

/** An output may have as many bytes as the answer of a web request: docs/operator-contract.md §1. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const tool = z
  .strictObject({
    tool: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z0-9_.-]+$/, 'has letters, digits, "_", "-" and "."')
      .meta({
        description: 'Its name; agents see the id of the flow behind it where two flows have the same one.',
        examples: ['look_up_order'],
      }),
    description: z.string().min(1).max(2_000).describe('What it does, for the model that chooses.'),
    argsSchema: freeObject.optional().describe('JSON Schema of the args, with type object.'),
    outSchema: freeObject.optional().describe('JSON Schema of the out of the last layer.'),
  })
  .meta({ title: 'FlowTool' });

/** Priorities are −10 … 10. */
export const MAX_PRIORITY = 10;

const limit = z.int().min(1).max(1_000);

export const settingsShape = z.strictObject({
  concurrency: z
    .union(
      [limit, z.strictObject({ limit, key: z.string().min(1).max(4_096).optional() })],
      'must be a whole number from 1 to 1,000, or an object such as { "limit": 2, "key": "{{ $prev.args.customerId }}" }',
    )
    .nullable()
    .default(null)
    .meta({
      description:
        'Plays of this flow that run at once; null: any number. Those over it wait, DEFERRED, in order. With a `key`, a text with ' +
        'expressions over the args, the limit is for each value of it.',
      examples: [{ limit: 2, key: '{{ $prev.args.customerId }}' }],
    }),
  priority: z
    .int()
    .min(-MAX_PRIORITY)
    .max(MAX_PRIORITY)
    .nullable()
    .optional()
    .describe(
      'Of its plays, whatever starts them; a run may say another. Plays of the company with a higher one start first. null: that of the ' +
        'play that starts it, else 0.',
    ),
  timeoutMs: z
    .int()
    .min(1)
    .max(31 * DAY_MS)
    .nullable()
    .default(null)
    .describe('Time limit of a play in milliseconds, from when it is due; null: none.'),
  onMissing: z
    .enum(['fail', 'null', 'empty'])
    .default('fail')
    .describe('What an expression gives for a field that is not there: `fail` fails the layer.'),
  maxOutputBytes: z
    .int()
    .min(1)
    .max(MAX_OUTPUT_BYTES)
    .nullable()
    .default(null)
    .describe('Bytes that one output may have; null: 64 MB. A larger one fails its layer, nothing is cut.'),
  onDestinationDown: z
    .enum(['fail', 'park'])
    .optional()
    .describe('What a call to a destination does that is down: `fail`: it is made; `park`: its play waits, DEFERRED.'),
  lane: z
    .string()
    .min(1)
    .max(4_096)
    .nullable()
    .optional()
    .meta({
      description:
        'Plays with the same lane run one after the other, in the order of acceptance, over all flows (docs/lanes.md): a text with ' +
        'expressions over the args; null: none.',
      examples: ['customer-{{ $prev.args.customerId }}'],
    }),
  onLaneFail: z
    .enum(['continue', 'stop'])
    .optional()
    .describe(
      'What a lane does when a play of the flow FAILs during its turn: it goes on, or waits for a retry or a skip.',
    ),
  labels: labelsShape.optional().describe('Of each play of the flow; they replace those that it has.'),
  mcp: tool
    .nullable()
    .optional()
    .describe('Agents see the flow as a tool of its own (docs/mcp.md); null: they do not.'),
  onFailure: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .optional()
    .describe('The flow, by its id or key, that is run once for each play that fails (docs/flows.md); null: none.'),
  publish: z
    .enum(['auto', 'manual'])
    .optional()
    .describe(
      'When changes apply to runs: `auto`: at once; `manual`: when they are published, so that they are drafts until then.',
    ),
});

/** What a flow is, as opposed to who may use it and whether it runs. */
export const flowShape = z.strictObject({
  name: seenName.meta({ description: 'Need not be unique.', examples: ['Order intake'] }),
  category: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'A word to sort flows by.', examples: ['Orders'] }),
  description: z.string().max(10_000).default('').describe('What the flow is for.'),
  isBlueprint: z.boolean().default(false).describe('A blueprint is instantiated, not run.'),
  when: expression('{{ $prev.args.urgent }}')
    .nullable()
    .default(null)
    .describe('An expression, judged when a run is accepted: false, and the play is SKIP at once. null: always run.'),
  settings: settingsShape.prefault({}).describe('Limits and habits of the flow.'),
  argsSchema: freeObject
    .nullable()
    .optional()
    .meta({
      description: 'JSON Schema that the args of runs must fit; null: none. Its keywords: docs/flows.md.',
      examples: [{ type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }],
    }),
});

/** As they are stored: a setting that the flow does not use is left out, or null. */
export type FlowSettings = Plain<z.output<typeof settingsShape>>;
/** How agents see a flow as a tool of its own. */
export type FlowTool = NonNullable<FlowSettings['mcp']>;
export type GivenSettings = Plain<Partial<z.input<typeof settingsShape>>>;

/** What holds for settings that are left out; null for the others. */
const UNSET: Partial<FlowSettings> = {
  onDestinationDown: 'fail',
  onLaneFail: 'continue',
  labels: {},
  publish: 'auto',
};

/** As people see them: with every setting, in the order of the shape. */
export function shownSettings(settings: FlowSettings): Shown<FlowSettings> {
  const names = Object.keys(settingsShape.shape) as (keyof FlowSettings)[];
  return Object.fromEntries(names.map((name) => [name, settings[name] ?? UNSET[name] ?? null])) as Shown<FlowSettings>;
}
