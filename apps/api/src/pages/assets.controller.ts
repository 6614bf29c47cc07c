import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { WeftError } from '@weft/kernel';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/requires.js';
import { assetFile } from './dashboard.js';
import { sendPacked } from './packed-file.js';

const FOREVER = 'public, max-age=31536000, immutable';

/** The scripts, styles and fonts of the dashboard. */
@Controller('assets')
@Public()
@ApiExcludeController()
export class AssetsController {
  @Get(':file')
  async file(
    @Param('file') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await assetFile(name);
    if (file === null) throw new WeftError('not_found', `Nothing answers at /assets/${name}.`);
    sendPacked(reply, file, accepted, FOREVER);
  }
}
