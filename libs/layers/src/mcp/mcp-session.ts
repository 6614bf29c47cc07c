/** Speaks with an MCP server over Streamable HTTP, in the revision of 2026 or those of 2025, for the time of one call (ADR 121). */
import type {
  CallToolResult,
  Client,
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator,
  PriorDiscovery,
  Progress,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { EgressClient } from '@weft/egress';
import type { ListedTools } from '@weft/openapi';
import { ExactIntegers } from '@weft/kernel';
import { MAX_TOOLS } from '@weft/openapi';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { withoutSecret } from '../call/without-secret.js';
import { LayerFailure, type Connection } from '../layer-module.js';
import { McpRequests, type McpWay } from './mcp-fetch.js';

export const MCP_ERAS = ['auto', '2026', '2025'] as const;
export type McpEra = (typeof MCP_ERAS)[number];

export interface McpPeer {
  /** Of the server's record: no other company has it. */
  readonly id: string;
  readonly url: string;
  /** Which revisions of the protocol are tried. */
  readonly era: McpEra;
  readonly link: Connection | null;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
  /** A schema of the arguments that are sent as headers, too. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly onProgress: (progress: Progress) => void;
}

const REVISION = '2026-07-28';
const MODES = { auto: 'auto', 2026: { pin: REVISION }, 2025: 'legacy' } as const;
const MOST_PAGES = 100;
/** Of what a server says of itself, when it is kept. */
const MOST_KEPT_CHARS = 8_192;
const MOST_SAID = 500;
const LATER_MS = 10_000;
const END_MS = 5_000;

/** What a server has answered to the handshake. A version of 2025 may have given a session, which belongs to its credential. */
interface Handshake {
  readonly prior: PriorDiscovery;
  readonly sessionId?: string;
  readonly protocol?: string;
  /** Calls that are under way with it. */
  users: number;
  /** No further call uses it. */
  isDropped: boolean;
  /** Has the server end the session. */
  readonly end: () => void;
}

/** How long a handshake holds. */
const HANDSHAKE_MS = 60_000;
const MOST_HANDSHAKES = 200;
const handshakes = new LRUCache<string, Handshake>({
  ...{ max: MOST_HANDSHAKES, ttl: HANDSHAKE_MS, ttlAutopurge: true },
  dispose: (handshake) => {
    handshake.isDropped = true;
    endIfUnused(handshake);
  },
});

function endIfUnused(handshake: Handshake): void {
  if (handshake.isDropped && handshake.users === 0) handshake.end();
}

/** Values are judged by our own judge, in bounded time. */
const UNJUDGED: jsonSchemaValidator = {
  getValidator:
    <T>(_schema: JsonSchemaType): JsonSchemaValidator<T> =>
    (value) => ({ valid: true, data: value as T, errorMessage: undefined }),
};

/**
 * Runs `work` with a session. Only what `work` has not sent yet may be sent twice: a server that has forgotten a handshake is asked again.
 *
 * @throws LayerFailure `mcp_unreachable`, `integration_unusable`, `tool_asks`, `tool_failed`, `invalid_output`, and the codes of the egress client
 */
export async function withMcpSession<T>(
  peer: McpPeer,
  way: McpWay,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  const key = keyOf(peer);
  const known = way.isNew ? undefined : handshakes.get(key);
  const requests = new McpRequests(peer.link, way);
  try {
    try {
      return await inSession(peer, way, requests, known, work);
    } catch (error) {
      if (!known) throw error;
      // it knows no such session: it has done nothing with the request
      const isForgotten = requests.refused?.statusCode === 404 && requests.fault === undefined;
      if (handshakes.get(key) === known) handshakes.delete(key);
      if (!isForgotten) throw error;
      return await inSession(peer, way, requests, undefined, work);
    }
  } catch (error) {
    way.signal.throwIfAborted();
    throw await failureOf(error, requests, peer.url);
  } finally {
    requests.end();
  }
}

async function inSession<T>(
  peer: McpPeer,
  way: McpWay,
  requests: McpRequests,
  known: Handshake | undefined,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  // it is loaded where it is used: it takes 30 MB
  const { Client: McpClient, StreamableHTTPClientTransport: Transport } = await import('@modelcontextprotocol/client');
  requests.refused = undefined;
  const client = new McpClient(
    { name: 'weft', version: '1' },
    {
      capabilities: {},
      jsonSchemaValidator: UNJUDGED,
      versionNegotiation: { mode: MODES[peer.era] },
      inputRequired: { autoFulfill: false },
    },
  );
  const transport = new Transport(new URL(peer.url), {
    fetch: requests.fetch,
    reconnectionOptions: {
      ...{ initialReconnectionDelay: 1_000, maxReconnectionDelay: 5_000, reconnectionDelayGrowFactor: 2 },
      maxRetries: 2,
    },
    // a handshake that holds, of a server that gave no session
    ...(known?.prior.kind === 'legacy' && { sessionId: known.sessionId ?? '', protocolVersion: known.protocol ?? '' }),
  });
  // the way's own limit comes first
  const options = { signal: way.signal, timeout: way.timeoutMs + LATER_MS };
  let handshake = known;
  if (handshake) handshake.users += 1;
  try {
    const act = async (): Promise<T> => {
      await client.connect(transport, { ...options, ...(known && { prior: known.prior }) });
      handshake ??= keep(peer, way, client, transport);
      return work(new McpSession(client, transport, requests, options));
    };
    return await Promise.race([act(), requests.broken]);
  } finally {
    await client.close();
    if (handshake) {
      handshake.users -= 1;
      endIfUnused(handshake);
    }
  }
}

function keyOf({ id, url, era, link }: McpPeer): string {
  const shown = createHash('sha256').update(`${link?.kind} ${link?.secret}`).digest('base64url');
  return `${id} ${era} ${url} ${shown}`;
}

/** Of the call that has made it. */
function keep(
  peer: McpPeer,
  { http: ofCall, afterwards }: McpWay,
  client: Client,
  { sessionId, protocolVersion }: StreamableHTTPClientTransport,
): Handshake {
  const discover = client.getDiscoverResult();
  const said = discover
    ? { prior: { kind: 'modern', discover: { ...discover, instructions: undefined } } as const }
    : {
        prior: { kind: 'legacy' } as const,
        ...(sessionId !== undefined && { sessionId }),
        ...(protocolVersion !== undefined && { protocol: protocolVersion }),
      };
  const isKept = JSON.stringify(said).length <= MOST_KEPT_CHARS;
  // nothing of the call is kept with it
  const http = afterwards ?? ofCall;
  const handshake = { ...said, users: 1, isDropped: !isKept, end: () => void endSession(peer, http, sessionId) };
  if (isKept) handshakes.set(keyOf(peer), handshake);
  return handshake;
}

/** A server of 2025 keeps a session until it is ended. Whether it was is nobody's concern any more. */
async function endSession({ url, link }: McpPeer, http: EgressClient, sessionId: string | undefined): Promise<void> {
  if (sessionId === undefined) return;
  const way = { http, signal: AbortSignal.timeout(END_MS), timeoutMs: END_MS };
  const headers = { 'mcp-session-id': sessionId };
  await new McpRequests(link, way).fetch(url, { method: 'DELETE', headers }).catch(() => undefined);
}

/** A server, for one call. */
export class McpSession {
  constructor(
    private readonly client: Client,
    private readonly transport: StreamableHTTPClientTransport,
    private readonly requests: McpRequests,
    private readonly options: { readonly signal: AbortSignal; readonly timeout: number },
  ) {}

  /** All tools, and what the server says of itself; one more tool than are allowed, where it has more. */
  async list(): Promise<ListedTools> {
    const tools: unknown[] = [];
    for await (const page of this.pages()) {
      tools.push(...page.map(writable));
      if (tools.length > MAX_TOOLS) break;
    }
    return {
      protocol: this.transport.protocolVersion ?? '',
      server: this.client.getServerVersion(),
      instructions: this.client.getInstructions(),
      tools: tools.slice(0, MAX_TOOLS + 1),
    };
  }

  /** The first tool of this name, as the server lists it now; undefined: it lists no such tool. */
  async find(name: string): Promise<unknown> {
    let left = MAX_TOOLS;
    for await (const page of this.pages()) {
      const found = page.slice(0, left).find((tool) => (tool as { readonly name?: unknown } | null)?.name === name);
      if (found !== undefined) return found;
      left -= page.length;
      if (left <= 0) return undefined;
    }
    return undefined;
  }

  async call({ name, arguments: args, idempotencyKey, headers, onProgress }: ToolCall): Promise<CallToolResult> {
    const integers = new ExactIntegers();
    this.requests.integers = integers;
    const result = await this.client.callTool(
      { name, arguments: args, _meta: { idempotencyKey } },
      {
        ...this.options,
        headers: { 'idempotency-key': idempotencyKey },
        onprogress: onProgress,
        toolDefinition: { name, inputSchema: { ...headers, type: 'object' } },
      },
    );
    return integers.restored(result) as CallToolResult;
  }

  /** What the server may have repeated. */
  masked(text: string): string {
    return withoutSecret(text, this.requests.secrets, { json: { isInText: false } });
  }

  /** Judged by nobody yet: a tool that is not as it should be hides no other. */
  private async *pages(): AsyncGenerator<readonly unknown[]> {
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const found = await this.client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        AS_IT_IS,
        this.options,
      );
      const { tools, nextCursor } = found as { readonly tools?: unknown; readonly nextCursor?: unknown };
      if (!Array.isArray(tools))
        throw new LayerFailure('mcp_unreachable', 'The server answered with no list of tools.');
      yield tools as readonly unknown[];
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return;
      cursor = nextCursor;
    }
  }
}

/** A tool that is nested too deeply to be written down loses its schemas, and is skipped by that. */
function writable(tool: unknown): unknown {
  try {
    JSON.stringify(tool);
    return tool;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { name: (tool as { readonly name?: unknown }).name };
  }
}

const AS_IT_IS = {
  '~standard': { version: 1, vendor: 'weft', validate: (value: unknown) => ({ value }) },
} as const;

const ASKS =
  'The tool asks somebody for more before it answers: a layer can only call tools that answer by themselves.';

/** What a call failed by, for the layer. */
async function failureOf(error: unknown, requests: McpRequests, url: string): Promise<unknown> {
  const { fault, refused, secrets } = requests;
  const host = URL.parse(url)?.host ?? 'the server';
  if (fault instanceof LayerFailure && fault.code === 'connect_failed') {
    return new LayerFailure('mcp_unreachable', fault.message, undefined, { cause: fault });
  }
  if (fault !== undefined) return fault;
  if (error instanceof LayerFailure) return error;
  const { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  // servers of 2026 answer with an error of the protocol in a status 400
  if (error instanceof ProtocolError) {
    if (error.code === (ProtocolErrorCode.MissingRequiredClientCapability as number))
      return new LayerFailure('tool_asks', ASKS);
    const said = withoutSecret(error.message.slice(0, MOST_SAID).toWellFormed(), secrets);
    return new LayerFailure('tool_failed', `${host} refused the request (${error.code}): ${said}`);
  }
  if (refused) {
    const { statusCode } = refused;
    const isCredential = statusCode === 401 || statusCode === 403;
    const code = isCredential ? 'integration_unusable' : 'mcp_unreachable';
    const why = isCredential ? 'give its MCP server a link whose credential it takes' : 'it does not speak MCP there';
    const hint = isCredential || statusCode === 404 || statusCode === 405 ? `: ${why}` : '';
    return new LayerFailure(code, `${host} answered ${statusCode}${hint}.`, undefined, { answer: refused });
  }
  if (error instanceof SdkError) {
    switch (error.code) {
      case SdkErrorCode.UnsupportedResultType:
        return new LayerFailure('tool_asks', ASKS);
      case SdkErrorCode.RequestTimeout:
        return new LayerFailure('timeout', `${host} did not answer in time.`);
      case SdkErrorCode.InvalidResult:
        return new LayerFailure('invalid_output', `${host} answered with something that is not the result of a tool.`);
      default:
    }
  }
  return new LayerFailure('mcp_unreachable', `${host} did not answer as an MCP server.`, undefined, { cause: error });
}
