import { Controller, Delete, Get, HttpCode, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, SIGNED_IN, type Principal } from '@weft/access';
import type { Page, PlayLayerView, PlayView } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersNothing, anything, listOf } from '../http/schema.js';
import { PlayListsService, type PlayCounts } from './play-lists.service.js';
import { LayerInputService } from './layer-input/layer-input.service.js';
import { layerInputSchema, type LayerInputView } from './layer-input/layer-input.view.js';
import { LoopItemsService } from './loop-items/loop-items.service.js';
import { loopItemPageSchema, type LoopItemView } from './loop-items/loop-items.view.js';
import {
  CountPlaysQuery,
  LayerInputQuery,
  ListFlowPlaysQuery,
  ListPlaysQuery,
  LoopItemsQuery,
  PlayEventsQuery,
} from './play.requests.js';
import { playCountsSchema, playFrameSchema, playLayerSchema, playPageSchema, playSchema } from './play.schemas.js';
import { PlayErasureService } from './play-erasure.service.js';
import { WaitingService } from './waiting/waiting.service.js';
import { waitingSchema, type WaitingView } from './waiting/waiting.view.js';
import { PlaysService } from './plays.service.js';

@ApiTags('Plays')
@Controller(apiPaths('plays'))
export class PlaysController {
  constructor(
    private readonly plays: PlaysService,
    private readonly lists: PlayListsService,
    private readonly waiting: WaitingService,
    private readonly erasure: PlayErasureService,
    private readonly items: LoopItemsService,
    private readonly inputs: LayerInputService,
  ) {}

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:plays'))
  @Refuses('not_found', 'denied')
  @ApiOperation({ summary: 'List plays of all flows that the caller may read, newest first' })
  @Answers(200, playPageSchema, 'A page of plays, without their arguments.')
  list(@Caller() caller: Principal, @Query() query: ListPlaysQuery): Promise<Page<PlayView>> {
    return this.lists.list(caller, query);
  }

  @Get('counts')
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:plays'))
  @Refuses('not_found', 'denied')
  @ApiOperation({ summary: 'Count the plays of each state that the list would show' })
  @Answers(200, playCountsSchema, 'How many plays are in each state, each counted up to 10,000.')
  count(@Caller() caller: Principal, @Query() query: CountPlaysQuery): Promise<PlayCounts> {
    return this.lists.count(caller, query);
  }

  @Get(':id')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Read a play' })
  @Answers(200, playSchema, 'The play.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<PlayView> {
    return this.plays.read(caller, id);
  }

  @Get(':id/events')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Read what has happened in a play so far: the frames of its live stream' })
  @Answers(200, listOf(playFrameSchema), 'The numbered frames, in order, streamed.')
  async readEvents(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() { fromSeq = 1 }: PlayEventsQuery,
  ): Promise<StreamableFile> {
    const stream = await this.plays.readEvents(caller, id, fromSeq);
    return new StreamableFile(stream, { type: 'application/json; charset=utf-8' });
  }

  @Get(':id/waiting')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Say why a play does not go on, and how long its queue is' })
  @Answers(200, waitingSchema, 'The reason; `reason` is null when the play waits for nothing.')
  readWaiting(@Caller() caller: Principal, @Param('id') id: string): Promise<WaitingView> {
    return this.waiting.read(caller, id);
  }

  @Get(':id/layers')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Read what each layer of a play did' })
  @Answers(200, listOf(playLayerSchema), 'Every layer of the version that ran, in order; one not reached is NEW.')
  readLayers(@Caller() caller: Principal, @Param('id') id: string): Promise<PlayLayerView[]> {
    return this.plays.readLayers(caller, id);
  }

  @Get(':id/layers/:ref/out')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @ApiOperation({ summary: 'Read the whole output of a layer, however large' })
  @Answers(200, anything, 'The output as JSON, streamed.')
  async readOutput(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('ref') ref: string,
  ): Promise<StreamableFile> {
    const { stream, bytes } = await this.plays.readOutput(caller, id, ref);
    return new StreamableFile(stream, { type: 'application/json; charset=utf-8', length: bytes });
  }

  @Get(':id/layers/:ref/items')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @Refuses('value_too_large')
  @ApiOperation({
    summary: 'List the items, pages or rounds of a loop that have ended, in their order, also while it runs',
  })
  @Answers(200, loopItemPageSchema, 'A page of items: how each ended, with its output or its error.')
  readItems(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('ref') ref: string,
    @Query() query: LoopItemsQuery,
  ): Promise<Page<LoopItemView>> {
    return this.items.read(caller, id, ref, query);
  }

  @Get(':id/layers/:ref/input')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays', 'flow:execute'))
  @Refuses('value_too_large', 'too_many_dry_runs')
  @ApiOperation({ summary: 'Read what a layer was given: its arguments with values instead of expressions' })
  @Answers(200, layerInputSchema, 'The arguments, computed anew from what is stored. Nothing is called.')
  readInput(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Param('ref') ref: string,
    @Query() { item }: LayerInputQuery,
  ): Promise<LayerInputView> {
    return this.inputs.read(caller, id, ref, item);
  }

  @Delete(':id')
  @Requires(atLeast('admin'), scopes('api'))
  @HttpCode(204)
  @Refuses('not_final', 'lane_stopped')
  @ApiOperation({ summary: 'Erase a play that has ended, with its outputs' })
  @AnswersNothing('Erased; outputs that a retry took over stay with that play.')
  erase(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    return this.erasure.erase(caller, origin, id);
  }
}

@ApiTags('Plays')
@Controller(apiPaths('flows/:flowId/plays'))
export class FlowPlaysController {
  constructor(private readonly lists: PlayListsService) {}

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:plays'))
  @ApiOperation({ summary: 'List the plays of a flow, newest first' })
  @Answers(200, playPageSchema, 'A page of plays, without their arguments.')
  list(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Query() query: ListFlowPlaysQuery,
  ): Promise<Page<PlayView>> {
    return this.lists.list(caller, Object.assign(new ListPlaysQuery(), query, { flowId }));
  }
}
