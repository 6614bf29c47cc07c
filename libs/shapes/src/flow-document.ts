/**
 * A flow as one document that people review and keep with their code. Its JSON Schema is published as
 * `docs/reference/weft.flow-1.schema.json`.
 */
import { z } from 'zod';
import { freeObject, seenName } from './bounds.js';
import { flowShape, settingsShape } from './flow.js';
import { layerShape, MAX_LAYERS } from './layer.js';

export const FLOW_SCHEMA = 'weft.flow/1';

export const MAX_TEST_CASES = 100;

export const documentLayerShape = layerShape
  .extend({
    id: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The layer of the flow whose place this one takes, when its ref is another now. Not in an import.'),
  })
  .describe('One step; the list is the order of execution.');

export const testCaseShape = z
  .strictObject({
    name: seenName.meta({ description: 'For people.', examples: ['tells that it is ok'] }),
    required: z.boolean().default(false).describe('The flow cannot be enabled while this case fails.'),
    args: freeObject.default({}).describe('Arguments of the run. {} when left out.'),
    fixtures: freeObject.default({}).meta({
      description: "Ref → the out that stands in for the layer's own. A layer that reaches outside needs one.",
      examples: [{ fetch: { statusCode: 200, json: { ok: true } } }],
    }),
    expected: freeObject.default({}).meta({
      description:
        'Ref → part of the out that the layer must give: fields left out may be anything, lists have this length.',
      examples: [{ tell: { text: 'It is ok.' } }],
    }),
  })
  .describe('What the flow must do with given args.');

const documentSettings = settingsShape.extend({
  publish: settingsShape.shape.publish.describe(
    'When changes apply to runs: at once, or when they are published. Left out: as the flow has it, else at once.',
  ),
});

export const flowDocumentShape = z
  .strictObject({
    schema: z.literal(FLOW_SCHEMA),
    ...flowShape.shape,
    settings: documentSettings.prefault({}).describe('Limits and habits of the flow.'),
    blueprintVars: z
      .record(z.string(), z.string())
      .nullable()
      .default(null)
      .describe('Values for `{{ $blueprint.<name> }}` of a flow that was made from a blueprint.'),
    layers: z.array(documentLayerShape).max(MAX_LAYERS).prefault([]),
    testCases: z.array(testCaseShape).max(MAX_TEST_CASES).default([]),
  })
  .describe(
    'A flow of Weft, as `GET /flows/:id/export` writes it, and `PUT /flows/:id/document` and `POST /flows/import` read it.',
  );

export type FlowDocumentFile = z.infer<typeof flowDocumentShape>;

/** The published JSON Schema. Fields with defaults are optional in it, for documents that are written by hand. */
export function flowDocumentJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(flowDocumentShape, { io: 'input' }), title: FLOW_SCHEMA };
}
