import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/requires.js';
import { goneOf } from '../../http/gone.js';
import { CALL_BACKS_ROUTE } from '../../http/raw-body.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import * as s from '../../http/schema.js';
import { eventAnswerSchema, type EventAnswer } from '../../events/event-answer.js';
import { arrivingBytesOf } from './arriving-request.js';
import { CallBacks } from './call-backs.js';

@ApiTags('Triggers')
@Controller()
export class CallBacksController {
  constructor(private readonly callBacks: CallBacks) {}

  @Post(CALL_BACKS_ROUTE)
  @Public()
  @HttpCode(202)
  @Refuses(
    ...(['call_back_over', 'too_many_attempts', 'too_many_deliveries', 'value_too_large', 'uploads_full'] as const),
    ...(['illegal_move', 'body_too_large', 'unsupported_media_type'] as const),
  )
  @ApiOperation({ summary: 'Answer the wait of a play, at the address that it gave out: once' })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ required: false, description: 'Any `Content-Type`, up to 1 MB.', schema: s.bytes })
  @s.Answers(202, eventAnswerSchema, 'The play has it.')
  async call(
    @Param('token') token: string,
    @Origin() origin: RequestOrigin,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventAnswer> {
    const arriving = arrivingBytesOf(request, reply);
    await this.callBacks.take(token, { ...arriving, address: origin.address, gone: goneOf(reply) });
    return { matched: 1, kept: false };
  }
}
