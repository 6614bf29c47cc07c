import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, flow, scopes, type Principal } from '@weft/access';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPath, apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers, AnswersCreated, AnswersNothing } from '../http/schema.js';
import { runAnswerSchema, type RunAnswer } from '../plays/run/run-answer.js';
import { CreateScheduleBody, PreviewQuery, ScheduleQuery, UpdateScheduleBody } from './schedule.requests.js';
import {
  scheduleListSchema,
  schedulePreviewSchema,
  scheduleSchema,
  type ScheduleList,
  type SchedulePreview,
  type ScheduleView,
} from './schedule.view.js';
import { SchedulesService } from './schedules.service.js';
import { ACCEPTANCE_REFUSALS } from '../plays/run/run-refusals.js';

@ApiTags('Scheduler')
@Controller(apiPaths('scheduler'))
export class SchedulerController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get('jobs')
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List schedules of the flows that the caller may read, newest first' })
  @Answers(200, scheduleListSchema, 'All of them: this list has no pages.')
  async list(@Caller() caller: Principal, @Query() query: ScheduleQuery): Promise<ScheduleList> {
    return { jobs: await this.schedules.list(caller, query.flow_id) };
  }

  @Get('preview')
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:flows'))
  @Refuses('invalid_cron', 'invalid_timezone')
  @ApiOperation({ summary: 'The next five slots of a schedule that need not exist' })
  @Answers(200, schedulePreviewSchema, 'In UTC, the nearest first.')
  preview(@Query() { schedule, timezone = 'UTC' }: PreviewQuery): SchedulePreview {
    return { next: this.schedules.preview(schedule, timezone) };
  }

  @Get('jobs/:id')
  @Requires(atLeast('viewer'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read a schedule' })
  @Answers(200, scheduleSchema, 'The schedule.')
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<ScheduleView> {
    return this.schedules.read(caller, id);
  }

  @Post('jobs')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('not_found', 'invalid_cron', 'invalid_timezone', 'invalid_policy', 'invalid_labels', 'too_many_schedules')
  @ApiOperation({ summary: 'Run a flow at times, with the rights of the caller' })
  @AnswersCreated(scheduleSchema, 'The schedule.')
  async create(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: CreateScheduleBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduleView> {
    const schedule = await this.schedules.create({ caller, origin }, body);
    reply.header('location', apiPath(`scheduler/jobs/${schedule.id}`));
    return schedule;
  }

  @Patch('jobs/:id')
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @Refuses('invalid_cron', 'invalid_timezone', 'invalid_policy', 'invalid_labels', 'version_conflict')
  @ApiOperation({ summary: 'Change, pause or wake a schedule: slots that were to come are those of the new one' })
  @Answers(200, scheduleSchema, 'The schedule as it is now.')
  update(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('id') id: string,
    @Body() body: UpdateScheduleBody,
  ): Promise<ScheduleView> {
    return this.schedules.update({ caller, origin }, id, body);
  }

  @Delete('jobs/:id')
  @HttpCode(204)
  @Requires(atLeast('editor'), scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Delete a schedule; its plays stay' })
  @AnswersNothing('Deleted.')
  remove(@Caller() caller: Principal, @Origin() origin: RequestOrigin, @Param('id') id: string): Promise<void> {
    return this.schedules.remove({ caller, origin }, id);
  }

  @Post('jobs/:id/run')
  @Requires(flow('execute'), scopes('api', 'api:flows', 'api:plays'))
  @HttpCode(202)
  @Refuses(...ACCEPTANCE_REFUSALS)
  @ApiOperation({ summary: 'Run it once now, besides its slots' })
  @Answers(202, runAnswerSchema, 'Accepted.', 'Location')
  async run(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunAnswer> {
    const answer = await this.schedules.run(caller, id);
    reply.header('location', apiPath(`plays/${answer.playId}`));
    return answer;
  }
}
