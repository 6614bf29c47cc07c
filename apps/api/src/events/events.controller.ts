import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import * as s from '../http/schema.js';
import { assertValueFits } from '../http/value-size.js';
import { EventBody } from './event.requests.js';
import { EventsService } from './events.service.js';

interface EventAnswer {
  readonly matched: number;
}

const answerSchema = s.named('EventAnswer', s.object<EventAnswer>({ matched: s.integer }));

@ApiTags('Events')
@Controller(apiPaths('events'))
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @Requires(atLeast('executor'), scopes('api', 'api:plays', 'flow:execute'))
  @HttpCode(202)
  @ApiOperation({ summary: 'Tell the plays that wait for it that something happened; it is not kept for later ones' })
  @s.Answers(202, answerSchema, 'How many waiting plays of the company took it.')
  async publish(@Caller() caller: Principal, @Body() body: EventBody): Promise<EventAnswer> {
    assertValueFits('payload', body.payload);
    return { matched: await this.events.publish(caller, body) };
  }
}
