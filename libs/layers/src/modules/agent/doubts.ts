/** What may be a mistake in the tools of an agent, taken together. Pure. */
import { isFaceFault, type Faces } from '../../face.js';
import { visibleSchema } from './tools/fixed.js';
import { READING } from './tools/list.js';
import { partsOf, type ToolPart } from './tools/parts.js';

/** More of either fill the context of a model, which then chooses worse. */
const MANY_TOOLS = 40;
const MANY_CHARS = 32_768;

type Fields = Readonly<Record<string, unknown>>;

export interface AgentDoubt {
  /** In dots, from the arguments of the layer. */
  readonly path: string;
  readonly code: 'many_tools' | 'exfiltration_possible';
  readonly message: string;
}

/** @param args as they are written @param faces of what they name */
export function doubtsAboutAgent(args: Fields, faces: Faces): readonly AgentDoubt[] {
  const parts = partsOf(args);
  return [...manyTools(parts, faces), ...outflow(args, parts, faces)];
}

function manyTools(parts: readonly ToolPart[], faces: Faces): AgentDoubt[] {
  const chars = parts.reduce((sum, part) => sum + charsOf(part, faces), 0);
  if (parts.length <= MANY_TOOLS && chars <= MANY_CHARS) return [];
  const message = `the model reads ${parts.length} tools with ${chars} characters of schemas before each answer, and pays for them: more than ${MANY_TOOLS} tools, or ${MANY_CHARS} characters, make it choose worse`;
  return [{ path: 'tools', code: 'many_tools', message }];
}

function charsOf({ faceKey, args: { fixed } }: ToolPart, faces: Faces): number {
  const face = faces.get(faceKey ?? '');
  if (!face || isFaceFault(face)) return 0;
  const paths = typeof fixed === 'object' && fixed !== null ? Object.keys(fixed) : [];
  return JSON.stringify(visibleSchema(face.argsSchema, paths).schema).length;
}

/** Who writes the text that an agent reads can have it send away what its other tools read: only a person in between is sure. */
function outflow({ instructions, input }: Fields, parts: readonly ToolPart[], faces: Faces): AgentDoubt[] {
  const isForeign = [instructions, input].some((text) => typeof text === 'string' && text.includes('{{'));
  if (!isForeign) return [];
  const sender = parts.find((part) => !onlyReads(part, faces) && (part.args.approve ?? 'never') === 'never');
  const reader = parts.find((part) => part !== sender && mayRead(part, faces));
  if (!sender || !reader) return [];
  const message = `a text that others write may have the agent send on with "${nameOf(sender)}" what "${nameOf(reader)}" reads: have a person approve these calls, or fix where they go (fixed)`;
  return [{ path: `${sender.path}.approve`, code: 'exfiltration_possible', message }];
}

function onlyReads({ appId, faceKey }: ToolPart, faces: Faces): boolean {
  const face = faces.get(faceKey ?? '');
  return appId === 'operation' && face !== undefined && !isFaceFault(face) && READING.has(face.plan.method);
}

/** What servers and flows do is not known. */
function mayRead(part: ToolPart, faces: Faces): boolean {
  return part.appId !== 'operation' || onlyReads(part, faces);
}

function nameOf({ args: { name, operation, tool, flowId } }: ToolPart): string {
  return String(name ?? operation ?? tool ?? flowId).slice(0, 128);
}
