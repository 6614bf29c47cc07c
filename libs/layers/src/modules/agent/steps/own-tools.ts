/** Tools that Weft itself gives to a model. */
import type { ChatTool } from '../provider/port.js';
import { ANSWER_TOOL, READ_TOOL } from '../tools/names.js';

export const READING_TOOL: ChatTool = {
  name: READ_TOOL,
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

/** By which a model gives the value that is wanted of it. */
export function answerTool(schema: ChatTool['schema']): ChatTool {
  return { name: ANSWER_TOOL, description: 'Gives the answer, when everything is done. Call it once.', schema };
}
