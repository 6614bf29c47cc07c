/** What a model calls the tools of an agent. Pure. */
import type { Face } from '../../../face.js';
import type { ToolArgs } from '../shape.js';

/** Tools that Weft itself gives to a model. */
export const ANSWER_TOOL = 'give_answer';
export const READ_TOOL = 'read_result';
export const OWN_TOOLS: readonly string[] = [ANSWER_TOOL, READ_TOOL];

const MAX_NAME = 64;

/** A name for each tool, which no other one has; the same for the same list. */
export function namesOf(tools: readonly ToolArgs[], faces: readonly Pick<Face, 'title'>[]): readonly string[] {
  const taken = new Set([...OWN_TOOLS, ...tools.flatMap(({ name }) => name ?? [])]);
  return tools.map((tool, i) => {
    if (tool.name !== undefined) return tool.name;
    const made = madeName(tool, faces[i]?.title ?? '');
    let name = made;
    for (let n = 2; taken.has(name); n += 1) name = `${made.slice(0, MAX_NAME - 1 - String(n).length)}_${n}`;
    taken.add(name);
    return name;
  });
}

/** With what it is of before it: servers have tools of the same name. */
function madeName(tool: ToolArgs, title: string): string {
  switch (tool.kind) {
    case 'flow':
      return named('flow', title);
    case 'operation':
      return named(tool.api, tool.operation);
    case 'mcp':
      return named(tool.server, tool.tool);
  }
}

function named(...parts: readonly string[]): string {
  const words = parts.map((part) =>
    part
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
      .replaceAll(/^_+|_+$/g, ''),
  );
  return words
    .filter((word) => word !== '')
    .join('_')
    .slice(0, MAX_NAME);
}
