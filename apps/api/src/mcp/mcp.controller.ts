import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN, type Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Public, Requires } from '../auth/requires.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { isForeign } from './mcp-origin.js';
import { foreign, McpProblemFilter } from './mcp-problem.filter.js';
import {
  METADATA_ROUTE,
  resourceMetadata,
  resourceMetadataSchema,
  type ResourceMetadata,
} from './resource-metadata.js';

@ApiTags('Agents')
@Controller()
export class McpController {
  private readonly publicUrl: URL;

  constructor(
    private readonly endpoint: McpEndpoint,
    @Inject(SETTINGS) { server }: Settings,
  ) {
    this.publicUrl = new URL(server.apiUrl);
  }

  /** Its requests and answers are described by the protocol (docs/mcp.md), not by OpenAPI. */
  @Post('mcp')
  @Requires(SIGNED_IN, scopes('mcp'))
  @HttpCode(200)
  @UseFilters(McpProblemFilter)
  @ApiExcludeEndpoint()
  async call(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (isForeign(request, this.publicUrl)) throw foreign();
    await this.endpoint.answer({ request, body }, reply, { caller, origin });
  }

  @Get(METADATA_ROUTE)
  @Public()
  @ApiOperation({ summary: 'Say which credentials /mcp takes (RFC 9728)' })
  @Answers(200, resourceMetadataSchema, 'The metadata of the protected resource.')
  metadata(): ResourceMetadata {
    return resourceMetadata(this.publicUrl);
  }
}
