import { z } from 'zod';
import { operationArgs } from '../operation/args.js';
import type { Face } from '../../face.js';

export const mcpToolArgs = z.strictObject({
  server: operationArgs.shape.api.describe('Key or id of an MCP server of the company.'),
  tool: operationArgs.shape.operation.describe('Name of one of its tools.'),
  digest: operationArgs.shape.digest.describe(
    'Which state of the tool runs: a server that offers another one is not called. Filled in when the layer is saved.',
  ),
  input: z.record(z.string(), z.unknown()).default({}).describe('The arguments of the tool. See its face.'),
  failOnError: z
    .boolean()
    .default(true)
    .describe(
      'Whether the layer fails (tool_failed) where the tool says that it has failed. Otherwise isError says so.',
    ),
  onUnexpected: operationArgs.shape.onUnexpected,
});

/** With what they name, and the arguments as they are sent. */
export type McpToolArgs = z.output<typeof mcpToolArgs> & {
  readonly bound?: { readonly face: Face; readonly input: Readonly<Record<string, unknown>> };
};

export const mcpToolOut = z.strictObject({
  content: z
    .array(
      z.strictObject({
        type: z.string().describe('text, image, audio, resource or resource_link.'),
        text: z.string().optional(),
        file: z.unknown().optional().describe('An image, a sound or a resource: { $ref, bytes, contentType, … }.'),
        uri: z.string().optional().describe('Of a resource, as the server names it.'),
        name: z.string().optional(),
      }),
    )
    .describe('What the tool answers, in its order.'),
  structured: z
    .unknown()
    .optional()
    .describe('The same as a value, of which the face has the schema; null where the tool gives none.'),
  isError: z.boolean().describe('The tool says that it has failed.'),
  unexpected: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe('There when structured does not fit its schema: the first faults.'),
});
