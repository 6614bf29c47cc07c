import type { ListToolsResult } from '@modelcontextprotocol/server';
import type { Tool } from './tool.js';

export type ListedTool = ListToolsResult['tools'][number];

const DIALECT = { target: 'draft-2020-12' } as const;

/** What `tools/list` shows of a tool. */
export function toListedTool({ name, title, description, input, output, annotations }: Tool): ListedTool {
  return {
    ...{ name, title, description, annotations },
    inputSchema: { ...input['~standard'].jsonSchema.input(DIALECT), type: 'object' },
    outputSchema: { ...output['~standard'].jsonSchema.output(DIALECT), type: 'object' },
  };
}
