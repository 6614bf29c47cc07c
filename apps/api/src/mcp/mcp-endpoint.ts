import { createMcpHandler, type McpHttpHandler, type McpServer } from '@modelcontextprotocol/server';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Actor } from '../audit/actor-entry.js';
import { goneOf } from '../http/gone.js';
import { McpServers } from './mcp-servers.js';

/** The handler reads no more of the address than that it is one; Host was checked before. */
const ADDRESS = 'http://localhost/mcp';

interface Asked {
  readonly request: FastifyRequest;
  /** Read as JSON; undefined: the request has no body. */
  readonly body: unknown;
}

/**
 * Both eras of the protocol on one route, without sessions: any replica answers any request. The framework has read the body and
 * checked the caller.
 */
@Injectable()
export class McpEndpoint implements OnApplicationShutdown {
  /** By the `Request` that the handler gives back when it asks for a server. */
  private readonly prepared = new WeakMap<Request, McpServer>();
  private readonly handler: McpHttpHandler;

  constructor(private readonly servers: McpServers) {
    this.handler = createMcpHandler(({ requestInfo }) => {
      const server = requestInfo && this.prepared.get(requestInfo);
      if (!server) throw new Error('a request came past its caller');
      return server;
    });
  }

  async answer({ request, body }: Asked, reply: FastifyReply, actor: Actor): Promise<void> {
    // one message may wait for long: many in one request would be many waits
    if (Array.isArray(body)) throw new WeftError('invalid_body', 'Send one message in a request, not a list.');
    const gone = goneOf(reply);
    const asked = new Request(ADDRESS, {
      method: 'POST',
      headers: headersOf(request),
      signal: gone,
    });
    // before the handler, which knows no answer for an unreachable store
    const message = typeof body === 'object' && body !== null ? body : {};
    this.prepared.set(asked, await this.servers.serverFor(actor, gone, message));
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
