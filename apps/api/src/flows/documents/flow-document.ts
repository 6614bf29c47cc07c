/**
 * A flow as one document that people review and keep with their code: no ids of a company, no secrets, everything in a fixed
 * order. Its shape is published as `docs/reference/weft.flow-1.schema.json`; `import-flow.ts` checks what modules and
 * expressions require.
 */
import { LABEL_KEY, labelsFault, MAX_LABEL_VALUE } from '@weft/engine';
import { layerShape, MAX_LAYERS } from '@weft/shapes';
import { z } from 'zod';
import { SEEN, SEEN_SAYS } from '../../http/fields.js';
import { MAX_TOOL_DESCRIPTION, MAX_TOOL_NAME, TOOL_NAME } from '../flow.requests.js';
import { MAX_TEST_CASES } from '../test-cases/test-case.limits.js';

export const FLOW_SCHEMA = 'weft.flow/1';

const freeObject = z.record(z.string(), z.unknown());
const wholeNumber = z.int();

const labels = z
  .record(z.string().regex(LABEL_KEY), z.string().min(1).max(MAX_LABEL_VALUE))
  .refine((all) => labelsFault(all) === null, 'at most ten labels, none with the character NUL');

const settings = z
  .strictObject({
    concurrency: z
      .union([
        wholeNumber.min(1).max(1_000),
        z.strictObject({ limit: wholeNumber.min(1).max(1_000), key: z.string().min(1).max(4_096) }),
      ])
      .nullable()
      .default(null)
      .describe(
        'Plays that run at once; null: any number. With a key, a text with expressions over the args, of each value of it.',
      ),
    timeoutMs: wholeNumber
      .min(1)
      .nullable()
      .default(null)
      .describe('Time limit of a play in milliseconds; null: none.'),
    onMissing: z
      .enum(['fail', 'null', 'empty'])
      .default('fail')
      .describe('What an expression gives for a field that is not there.'),
    maxOutputBytes: wholeNumber
      .min(1)
      .nullable()
      .default(null)
      .describe('Bytes that one output may have; null: 64 MB.'),
    onDestinationDown: z
      .enum(['fail', 'park'])
      .optional()
      .describe('What a call to a destination does that is down: it is made, or its play waits.'),
    publish: z
      .enum(['auto', 'manual'])
      .optional()
      .describe(
        'When changes apply to runs: at once, or when they are published. Left out: as the flow has it, else at once.',
      ),
    lane: z
      .string()
      .min(1)
      .max(4_096)
      .nullable()
      .optional()
      .describe('Plays with the same lane run one after the other: a text with expressions over the args; null: none.'),
    onLaneFail: z
      .enum(['continue', 'stop'])
      .optional()
      .describe('What a lane does when a play FAILs during its turn: it goes on, or waits for a retry or a skip.'),
    labels: labels.optional().describe('Of each play; at most ten.'),
    mcp: z
      .strictObject({
        tool: z.string().min(1).max(MAX_TOOL_NAME).regex(TOOL_NAME),
        description: z.string().min(1).max(MAX_TOOL_DESCRIPTION),
        argsSchema: freeObject.optional(),
        outSchema: freeObject.optional(),
      })
      .nullable()
      .optional()
      .describe('How agents see the flow as a tool of its own.'),
    onFailure: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .optional()
      .describe('Id of the flow that is run once for each play that fails.'),
  })
  .describe('Limits and habits of the flow.');

/** One layer of a document. */
export const documentLayer = layerShape
  .extend({
    id: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The layer of the flow whose place this one takes, when its ref is another now. Not in an import.'),
  })
  .describe('One step; the list is the order of execution.');

/** As `NameField`. */
const seenName = z.string().min(1).max(200).regex(SEEN, SEEN_SAYS);

const testCase = z
  .strictObject({
    name: seenName,
    required: z.boolean().default(false).describe('The flow cannot be enabled while this case fails.'),
    args: freeObject.default({}),
    fixtures: freeObject.default({}).describe("Ref → the out that stands in for the layer's own."),
    expected: freeObject.default({}).describe('Ref → part of the out that the layer must give.'),
  })
  .describe('What the flow must do with given args.');

export const flowDocumentSchema = z
  .strictObject({
    schema: z.literal(FLOW_SCHEMA),
    name: seenName,
    category: z.string().max(200).default(''),
    description: z.string().max(10_000).default(''),
    isBlueprint: z.boolean().default(false),
    when: z.string().min(1).nullable().default(null).describe('A run is SKIP at once when this gives false.'),
    settings: settings.default({ concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null }),
    argsSchema: freeObject.nullable().optional().describe('JSON Schema of the args of its runs.'),
    blueprintVars: z
      .record(z.string(), z.string())
      .nullable()
      .default(null)
      .describe('Values for `{{ $blueprint.<name> }}` of a flow that was made from a blueprint.'),
    layers: z.array(documentLayer).max(MAX_LAYERS).prefault([]),
    testCases: z.array(testCase).max(MAX_TEST_CASES).default([]),
  })
  .describe(
    'A flow of Weft, as `GET /flows/:id/export` writes it, and `PUT /flows/:id/document` and `POST /flows/import` read it.',
  );

export type FlowDocumentFile = z.infer<typeof flowDocumentSchema>;

/** The published JSON Schema. Fields with defaults are optional in it, for documents that are written by hand. */
export function flowDocumentJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(flowDocumentSchema, { io: 'input' }), title: FLOW_SCHEMA };
}
