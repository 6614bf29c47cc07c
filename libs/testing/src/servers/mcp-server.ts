/** MCP servers for specs: the SDK's own of each era, and others that answer as a spec says. */
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { parseJson } from '@weft/kernel';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

export interface McpRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly method?: string;
    readonly params?: {
      readonly name?: string;
      readonly arguments?: unknown;
      readonly _meta?: Readonly<Record<string, unknown>>;
    };
  };
}

export interface TestMcpServer {
  readonly url: string;
  readonly requests: readonly McpRequest[];
  /** Names of the methods that were asked for, in order. */
  methods(): readonly string[];
  /** The last call of a tool. */
  lastCall(): McpRequest | undefined;
  close(): Promise<void>;
}

type Perform = (
  params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> },
  context: ServerContext,
) => CallToolResult | Promise<CallToolResult>;

export interface Offer {
  /** Read for each list. */
  tools: readonly OfferedTool[];
  perform: Perform;
}

/** `2026` answers clients of both eras; `2025` knows sessions, and no other revision. */
export async function mcpServer(
  era: '2026' | '2025',
  offer: Offer,
): Promise<TestMcpServer & { forgetSessions(): void }> {
  const make = (): McpServer => {
    const server = new McpServer(
      { name: 'adder', title: 'The adder', version: '3' },
      { capabilities: { tools: {} }, instructions: 'Adds numbers.' },
    );
    server.server.setRequestHandler('tools/list', () => ({ tools: [...offer.tools] as never }));
    server.server.setRequestHandler('tools/call', ({ params }, context) => offer.perform(params, context));
    return server;
  };
  const modern = createMcpHandler(make);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    if (id !== null) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  };
  const served = await answeringServer(async (incoming, body, answer) => {
    const init = { method: incoming.method ?? 'GET', headers: headersOf(incoming), ...(body !== '' && { body }) };
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, init);
    const response = await (era === '2026' ? modern.fetch(request) : legacy(request));
    answer.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body)
      Readable.fromWeb(response.body as never)
        .on('error', () => undefined)
        .pipe(answer);
    else answer.end();
  });
  return {
    ...served,
    forgetSessions: () => sessions.clear(),
    close: async () => {
      await modern.close();
      await served.close();
    },
  };
}

/** A server that answers by hand. */
export async function answeringServer(
  answer: (request: IncomingMessage, body: string, answer: ServerResponse) => unknown,
): Promise<TestMcpServer> {
  const requests: McpRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.on('end', () => {
      requests.push({
        method: incoming.method ?? '',
        headers: incoming.headers,
        body: (body === '' ? {} : parseJson(Buffer.from(body))) as McpRequest['body'],
      });
      void (async () => answer(incoming, body, outgoing))();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    methods: () => requests.flatMap(({ method, body }) => (method === 'POST' ? [body.method ?? 'answer'] : [method])),
    lastCall: () => requests.findLast(({ body }) => body.method === 'tools/call'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
  );
}

/** The answer to a request of JSON-RPC. */
export function resultOf(body: string, result: unknown): string {
  const { id } = parseJson(Buffer.from(body)) as { readonly id?: unknown };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
