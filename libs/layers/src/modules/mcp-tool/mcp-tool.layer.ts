import { valueFaults, type JsonSchema } from '@weft/json-schema';
import { parseJson } from '@weft/kernel';
import { toolDigest } from '@weft/openapi';
import { LRUCache } from 'lru-cache';
import { isFaceFault, type Face } from '../../face.js';
import { LayerFailure, type LayerContext, type Output, type WorkingModule } from '../../layer-module.js';
import { MOST_BYTES } from '../../mcp/mcp-fetch.js';
import { withMcpSession, type McpSession } from '../../mcp/mcp-session.js';
import { listedFaults } from '../operation/listed-faults.js';
import { assertAtOrigin } from '../web-request/link-fields.js';
import { mcpToolArgs, mcpToolOut, type McpToolArgs } from './args.js';
import { contentsOf, type Part } from './contents.js';

const TIMEOUT_MS = 120_000;
/** Of an output: what does not fit. */
const MAX_UNEXPECTED = 5;
/** How far an answer is judged that is only noted. */
const NOTED_STEPS = 300;
const MOST_SAID = 500;
/** Answers that are held in memory without room of their own. */
const FREE_BYTES = 65_536;

/** How old what a play knows of a server's list may be when it calls a tool of it again: in a loop. */
const LIST_MS = 1_000;
/** Digests of tools as their servers listed them, by play, server and tool. */
const listed = new LRUCache<string, string>({ max: 10_000, ttl: LIST_MS, ttlResolution: 0 });

/**
 * Calls a tool of an MCP server. Fails with `tool_not_found`, `tool_changed` (nothing was sent to the tool), `tool_failed`, `tool_asks`,
 * `mcp_unreachable`; with `invalid_args` for input that does not fit the tool, whose paths are in the message; with `invalid_output`;
 * with the codes of the egress client, and those of an unusable link.
 */
export const mcpTool: WorkingModule<McpToolArgs> = {
  appId: 'mcp-tool',
  title: 'MCP tool',
  description: 'Calls a tool of an MCP server: typed arguments, and files where it answers with images or sounds.',
  icon: 'tool',
  effect: 'effect',
  timeoutMs: TIMEOUT_MS,
  argsSchema: mcpToolArgs,
  outSchema: mcpToolOut,
  programs: ['server', 'tool', 'digest'],
  examples: [
    {
      title: 'Search in a knowledge base',
      args: { server: 'wiki', tool: 'search', input: { query: '{{ $prev.args.question }}', limit: 5 } },
    },
  ],

  faceKey: ({ server, tool, digest }) =>
    [server, tool].every((each) => typeof each === 'string' && each !== '')
      ? `${MCP_FACE}${String(server)}/${String(tool)}${typeof digest === 'string' ? `@${digest}` : ''}`
      : null,

  bind(args, face) {
    if (!face) throw new LayerFailure('tool_not_found', `There is no tool "${args.tool}" here.`);
    if (isFaceFault(face)) throw new LayerFailure(face.code, face.message);
    return { ...args, bound: { face, input: inputFor(args, face) } };
  },

  async run(args, context) {
    const { bound } = args;
    if (!bound?.face.server) throw new TypeError('the tool has no face');
    const { id, url, era, integrationId } = bound.face.server;
    const link = integrationId === null ? null : await context.connection(integrationId);
    if (link) assertAtOrigin(url, link, 'the credential');
    const { http, afterwards, signal, timeoutMs } = context;
    const room = context.hold(URL.parse(url)?.host ?? 'the server', MOST_BYTES, FREE_BYTES);
    return withMcpSession({ id, url, era, link }, { http, afterwards, signal, timeoutMs, room }, async (session) => {
      await assertSame(`${context.playId} ${id} ${url}`, session, bound.face);
      return call(session, args, bound, context);
    });
  },
};

/** Begins the keys of faces that are tools. */
export const MCP_FACE = 'mcp:';

/** @throws LayerFailure `invalid_args` */
function inputFor({ input }: McpToolArgs, { argsSchema }: Face): Readonly<Record<string, unknown>> {
  const faultsOf = (given: typeof input) => valueFaults(argsSchema, given, { root: 'input', isForeign: true });
  let faults = faultsOf(input);
  if (faults.length === 0) return input;
  // null means left out, where the tool takes no null
  const wrong = new Set(faults.map(({ path }) => path));
  const given = Object.fromEntries(
    Object.entries(input).filter(([name, value]) => value !== null || !wrong.has(`input.${name}`)),
  );
  faults = faultsOf(given);
  if (faults.length === 0) return given;
  throw new LayerFailure('invalid_args', listedFaults(faults));
}

/**
 * A server may offer another tool by the same name at any time: before each call its list is read, unless this play has read it within
 * the last second.
 *
 * @throws LayerFailure `tool_not_found`, `tool_changed`
 */
async function assertSame(where: string, session: McpSession, { digest, plan }: Face): Promise<void> {
  const name = plan.tool?.name ?? '';
  const key = `${where} ${name}`;
  if (listed.get(key) === digest) return;
  const tool = await session.find(name);
  if (tool === undefined)
    throw new LayerFailure('tool_not_found', `The server does not offer the tool "${name}" any more.`);
  const offered = digestOf(tool);
  if (offered === digest) return void listed.set(key, offered);
  throw new LayerFailure(
    'tool_changed',
    `The server offers another tool "${name}" than the one that the flow was saved with: nothing was sent to it. Refresh the server, look at the differences, and adopt them.`,
  );
}

function digestOf(tool: unknown): string | null {
  try {
    return toolDigest(tool);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

async function call(
  session: McpSession,
  { failOnError, onUnexpected }: McpToolArgs,
  { face, input }: NonNullable<McpToolArgs['bound']>,
  context: LayerContext,
): Promise<Output> {
  const result = await session.call({
    name: face.plan.tool?.name ?? '',
    arguments: input,
    idempotencyKey: context.idempotencyKey,
    headers: face.plan.tool?.headers,
    onProgress: ({ progress, total, message }) =>
      context.progress(total === undefined || total <= 0 ? 0 : (progress * 100) / total, message ?? ''),
  });
  const answered: Answered = { content: result.content, structured: result.structuredContent ?? null };
  const { content, structured } = masked(session, answered);
  const isError = result.isError === true;
  const out = { content: await contentsOf(content, context.files), structured, isError };
  if (isError) {
    if (!failOnError) return out;
    const said = content
      .map(({ text }) => text ?? '')
      .join(' ')
      .trim();
    const message =
      said === '' ? 'The tool has failed, and does not say why.' : said.slice(0, MOST_SAID).toWellFormed();
    throw new LayerFailure('tool_failed', message, out);
  }
  return judged(out, onUnexpected, face);
}

interface Answered {
  readonly content: readonly Part[];
  readonly structured: unknown;
}

/** Without the secrets that the server was shown. */
function masked(session: McpSession, answered: Answered): Answered {
  const text = JSON.stringify(answered);
  const shown = session.masked(text);
  return shown === text ? answered : (parseJson(Buffer.from(shown)) as Answered);
}

/** @throws LayerFailure `invalid_output` */
function judged(out: Output, onUnexpected: McpToolArgs['onUnexpected'], { outSchema }: Face): Output {
  const some = onUnexpected === 'fail' ? {} : { maxSteps: NOTED_STEPS };
  const { properties, required, $defs } = outSchema as {
    readonly properties?: { readonly structured?: JsonSchema };
    readonly required?: readonly string[];
    readonly $defs?: unknown;
  };
  if (required?.includes('structured') !== true) return out;
  const schema: JsonSchema = { ...properties?.structured, ...($defs !== undefined && { $defs }) };
  const faults = valueFaults(schema, out.structured, { root: 'structured', isForeign: true, ...some });
  const unexpected = faults.slice(0, MAX_UNEXPECTED).map(({ path, message }) => ({ path, message }));
  const [first] = unexpected;
  if (!first) return out;
  if (onUnexpected === 'warn') return { ...out, unexpected };
  const message = `the answer does not fit its schema: ${first.path} ${first.message}`;
  throw new LayerFailure('invalid_output', message, { ...out, unexpected });
}
