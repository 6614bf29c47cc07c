/** Tools that Weft itself gives to a model. */
import type { ChatTool } from '../provider/port.js';

export const ANSWER_TOOL = 'give_answer';

export const READ_TOOL: ChatTool = {
  name: 'read_result',
  description:
    'Reads parts of a large result of an earlier call, which was given as { $ref, bytes, preview }: the values that a JSONPath finds in it.',
  schema: {
    type: 'object',
    properties: {
      ref: { type: 'string', description: 'The $ref of the result.' },
      jsonpath: { type: 'string', description: 'A JSONPath (RFC 9535), such as $.body.items[0:10].name.' },
    },
    required: ['ref', 'jsonpath'],
    additionalProperties: false,
  },
};

/** Names that no listed tool may have. */
export const OWN_TOOLS: readonly string[] = [ANSWER_TOOL, READ_TOOL.name];
