import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import * as s from '../http/schema.js';
import { assertValueFits } from '../http/value-size.js';
import { EventBody } from './event.requests.js';
import { EventsService } from './events.service.js';
import { eventAnswerSchema, type EventAnswer } from './event-answer.js';

@ApiTags('Events')
@Controller(apiPaths('events'))
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @Requires(atLeast('executor'), scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(202)
  @Refuses('kept_events_full')
  @ApiOperation({ summary: 'Tell the plays that wait for it that something happened, or the first one that will wait' })
  @s.Answers(202, eventAnswerSchema, 'How many waiting plays of the company took it, and whether it is kept.')
  async publish(@Caller() caller: Principal, @Body() body: EventBody): Promise<EventAnswer> {
    assertValueFits('payload', body.payload);
    return this.events.publish(caller, body);
  }
}
