import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { PlayView } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { assertValueFits } from '../http/value-size.js';
import { CancelBody, ResumeBody } from './play-command.requests.js';
import { PlayCommandsService } from './play-commands.service.js';
import { playSchema } from './play.schemas.js';

@ApiTags('Plays')
@Controller(apiPaths('plays/:id'))
export class PlayCommandsController {
  constructor(private readonly commands: PlayCommandsService) {}

  @Post('hold')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(200)
  @Refuses('illegal_move')
  @ApiOperation({ summary: 'Hold a play: the layer that runs finishes, the next one waits for the release' })
  @Answers(200, playSchema, 'The play as it is now.')
  hold(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<PlayView> {
    return this.commands.hold(caller, origin, id);
  }

  @Post('release')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(200)
  @Refuses('illegal_move')
  @ApiOperation({ summary: 'Let a held play go on' })
  @Answers(200, playSchema, 'The play as it is now.')
  release(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<PlayView> {
    return this.commands.release(caller, origin, id);
  }

  @Post('cancel')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(200)
  @Refuses('illegal_move')
  @ApiOperation({ summary: 'End a play as FAIL with the code cancelled; what runs of it is aborted' })
  @ApiBody({ type: CancelBody, required: false })
  @Answers(200, playSchema, 'The play as it is now.')
  cancel(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { reason }: CancelBody,
  ): Promise<PlayView> {
    return this.commands.cancel(caller, origin, id, reason);
  }

  @Post('resume')
  @Requires(flow('execute'), scopes('api', 'api:plays'))
  @HttpCode(200)
  @Refuses('illegal_move', 'unknown_id', 'value_too_large')
  @ApiOperation({
    summary: 'End a wait-event, a delay, or the pause before a retry or a round',
    description: 'An answer for a wait-event or a delay that comes before the layer waits is kept for it.',
  })
  @Answers(200, playSchema, 'The play as it is now.')
  async resume(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() { ref, payload = null }: ResumeBody,
  ): Promise<PlayView> {
    assertValueFits('payload', payload);
    return this.commands.resume(caller, origin, id, ref, payload);
  }
}
