import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, scopes, type Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { PageQuery } from '../http/paging.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { UpdateDestinationBody } from './destination.requests.js';
import { destinationPageSchema, destinationSchema, type DestinationView } from './destination.view.js';
import { DestinationsService } from './destinations.service.js';

@ApiTags('Destinations')
@Controller(apiPaths('destinations'))
export class DestinationsController {
  constructor(private readonly destinations: DestinationsService) {}

  @Get()
  @Requires(atLeast('editor'), scopes('api', 'api:read'))
  @ApiOperation({ summary: 'List whom the flows of the company call, as far as it is limited or not just up' })
  @Answers(200, destinationPageSchema, 'A page of destinations.')
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<DestinationView>> {
    return this.destinations.list(caller, query);
  }

  @Get(':id')
  @Requires(atLeast('editor'), scopes('api', 'api:read'))
  @ApiOperation({ summary: 'Read a destination' })
  @Answers(200, destinationSchema, 'The destination.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<DestinationView> {
    return this.destinations.read(caller, id);
  }

  @Patch(':id')
  @Requires(atLeast('editor'), scopes('api'))
  @Refuses('too_many_destinations')
  @ApiOperation({ summary: 'Limit how often a destination is called, whether it is known or not' })
  @Answers(200, destinationSchema, 'The destination as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateDestinationBody,
  ): Promise<DestinationView> {
    return this.destinations.update({ caller, origin }, id, body);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Requires(atLeast('editor'), scopes('api'))
  @Refuses('too_many_destinations')
  @ApiOperation({ summary: 'Let no call through to a destination, whether it is known or not, until it is released' })
  @Answers(200, destinationSchema, 'The destination as it is now.')
  pause(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
  ): Promise<DestinationView> {
    return this.destinations.pause({ caller, origin }, id);
  }

  @Post(':id/release')
  @HttpCode(200)
  @Requires(atLeast('editor'), scopes('api'))
  @ApiOperation({
    summary: 'Let calls through again to a destination that is paused or down, and release plays that wait',
  })
  @Answers(200, destinationSchema, 'The destination as it is now.')
  release(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
  ): Promise<DestinationView> {
    return this.destinations.release({ caller, origin }, id);
  }
}
