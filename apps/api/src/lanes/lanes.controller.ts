import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { SkipLaneBody } from './lane.requests.js';
import { laneSchema, type LaneView } from './lane.view.js';
import { LanesService } from './lanes.service.js';

@ApiTags('Plays')
@Controller(apiPaths('lanes/:lane'))
export class LanesController {
  constructor(private readonly lanes: LanesService) {}

  @Get()
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:plays'))
  @ApiOperation({ summary: 'Read a lane: which play has the turn, and which ones wait for it' })
  @Answers(200, laneSchema, 'The lane; one of which no play is open is idle.')
  read(@Caller() caller: Principal, @Param('lane') lane: string): Promise<LaneView> {
    return this.lanes.read(caller, lane);
  }

  @Post('skip')
  @HttpCode(200)
  @Requires(atLeast('editor'), scopes('api', 'api:plays'))
  @Refuses('nothing_to_skip', 'illegal_move')
  @ApiOperation({
    summary:
      'Let a lane go on past the play that has the turn: one that has failed stays as it is, an open one is cancelled',
  })
  @ApiBody({ type: SkipLaneBody, required: false })
  @Answers(200, laneSchema, 'The lane as it is now.')
  skip(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('lane') lane: string,
    @Body() { playId }: SkipLaneBody,
  ): Promise<LaneView> {
    return this.lanes.skip({ caller, origin }, lane, playId);
  }
}
