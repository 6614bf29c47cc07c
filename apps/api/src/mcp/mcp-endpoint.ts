import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Actor } from '../audit/actor-entry.js';
import { McpServers } from './mcp-servers.js';

/** What a request is served with; by its `Request`, which the handler hands to the maker of servers. */
interface Exchange extends Actor {
  readonly gone: AbortSignal;
}

interface Asked {
  readonly request: FastifyRequest;
  /** Read as JSON; undefined: there was none. */
  readonly body: unknown;
}

/**
 * Both eras of the protocol on one route, without sessions: any replica answers any request. The framework has read the body and
 * checked the caller.
 */
@Injectable()
export class McpEndpoint implements OnApplicationShutdown {
  private readonly exchanges = new WeakMap<Request, Exchange>();
  private readonly handler: McpHttpHandler;

  constructor(servers: McpServers) {
    this.handler = createMcpHandler(({ requestInfo }) => {
      const exchange = requestInfo && this.exchanges.get(requestInfo);
      if (!exchange) throw new Error('a request came past its caller');
      const { caller, origin, gone } = exchange;
      return servers.serverFor({ caller, origin }, gone);
    });
  }

  async answer({ request, body }: Asked, reply: FastifyReply, actor: Actor): Promise<void> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const asked = new Request(`http://${request.headers.host ?? 'localhost'}/mcp`, {
      method: 'POST',
      headers: headersOf(request),
      signal: gone.signal,
    });
    this.exchanges.set(asked, { ...actor, gone: gone.signal });
    const response = await this.handler.fetch(asked, { parsedBody: body });
    void reply.status(response.status).headers(Object.fromEntries(response.headers));
    await reply.send(response.body ? Readable.fromWeb(response.body) : '');
  }

  onApplicationShutdown(): Promise<void> {
    return this.handler.close();
  }
}

function headersOf({ headers }: FastifyRequest): Headers {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith(':') && name !== 'content-length');
  return new Headers(
    kept.flatMap(([name, value]) => [value ?? []].flat().map((each): [string, string] => [name, each])),
  );
}
