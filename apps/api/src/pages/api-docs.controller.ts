import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { WeftError } from '@weft/kernel';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/requires.js';
import { API_DOCS_PAGE, API_DOCS_POLICY, docsFile } from './api-docs.js';
import { sendPacked } from './packed-file.js';

/** Seconds for which a browser may keep a file: short enough for an upgrade. */
const KEEP = 'public, max-age=3600';

@Controller('api/docs')
@Public()
@ApiExcludeController()
export class ApiDocsController {
  @Get()
  page(@Res() reply: FastifyReply): void {
    void reply
      .header('content-security-policy', API_DOCS_POLICY)
      .header('referrer-policy', 'no-referrer')
      .type('text/html; charset=utf-8')
      .send(API_DOCS_PAGE);
  }

  @Get(':file')
  async file(
    @Param('file') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await docsFile(name);
    if (file === null) throw new WeftError('not_found', `Nothing answers at /api/docs/${name}.`);
    sendPacked(reply, file, accepted, KEEP);
  }
}
