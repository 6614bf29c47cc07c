import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { productVersion } from '@weft/process';
import type { FastifyReply } from 'fastify';
import { prefersHtml } from '../auth/login-redirect.js';
import { Public } from '../auth/requires.js';
import { isDashboard, sendDashboard } from './dashboard.js';

/** What this is and where to look: the dashboard for browsers, JSON for everybody else. */
@Controller()
@Public()
@ApiExcludeController()
export class RootController {
  @Get()
  show(@Headers('accept') accept: string | undefined, @Res() reply: FastifyReply): void {
    void reply.header('vary', 'accept');
    if (prefersHtml(accept) && isDashboard('GET', '/')) return sendDashboard(reply);
    void reply.send({
      name: 'weft',
      version: productVersion().replace(/\+.*$/, ''), // the build is for insiders (docs/security.md S43)
      api: '/api/v1',
      docs: '/api/docs',
      openapi: '/api/openapi.json',
      health: '/health',
    });
  }
}
