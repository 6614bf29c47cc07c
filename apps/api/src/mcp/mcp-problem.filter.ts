import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemFilter } from '../http/problem.filter.js';
import { isForeign } from './mcp-origin.js';
import { metadataUrl, MCP_SCOPE } from './resource-metadata.js';

/** Refusals before the protocol: where agents learn how to get a credential, and which scope is missing. */
@Catch()
export class McpProblemFilter implements ExceptionFilter {
  private readonly problems = new ProblemFilter();
  private readonly publicUrl: URL;

  constructor(@Inject(SETTINGS) { server }: Settings) {
    this.publicUrl = new URL(server.apiUrl);
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    // a request from elsewhere gets that as its reason, and not how to sign in
    const error = isForeign(http.getRequest<FastifyRequest>(), this.publicUrl) ? foreign() : thrown;
    const challenge = error instanceof WeftError ? this.challengeFor(error) : null;
    if (challenge) void http.getResponse<FastifyReply>().header('www-authenticate', challenge);
    this.problems.catch(error, host);
  }

  private challengeFor({ status, code }: WeftError): string | null {
    const metadata = `resource_metadata="${metadataUrl(this.publicUrl)}"`;
    if (status === 401) {
      const error = code === 'unauthenticated' ? '' : 'error="invalid_token", ';
      return `Bearer realm="weft", ${error}scope="${MCP_SCOPE}", ${metadata}`;
    }
    if (code !== 'insufficient_scope') return null;
    return `Bearer realm="weft", error="insufficient_scope", scope="${MCP_SCOPE}", ${metadata}`;
  }
}

export function foreign(): WeftError {
  return new WeftError('cross_site', 'Origin and Host must be those of this server.');
}
