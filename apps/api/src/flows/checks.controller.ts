import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { DryRunView, FlowReport } from '@weft/contracts';
import { assertCondition } from '@weft/runs';
import type { FastifyReply } from 'fastify';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { goneOf } from '../http/gone.js';
import { Refuses } from '../http/refuses.js';
import { Answers } from '../http/schema.js';
import { assertFixtureRefs } from './dry-run/fixture-refs.js';
import { DryRunBody } from './dry-run/dry-run.requests.js';
import { dryRunSchema } from './dry-run/dry-run.schemas.js';
import { toDryRunView } from './dry-run/dry-run.view.js';
import { DryRuns } from './dry-run/dry-runs.service.js';
import { Enabling } from './enabling.js';
import { flowReportSchema } from './flow.schemas.js';
import { DraftFields } from './flow.requests.js';
import { FlowsService } from './flows.service.js';
import { SamplesService } from './samples/samples.service.js';
import { ALL_LAYERS_REFUSALS, assertAllLayers } from './layers/all-layers.js';

/** Checks of a flow that run without side effects. */
@ApiTags('Flows')
@Controller(apiPaths('flows/:flowId'))
export class ChecksController {
  constructor(
    private readonly flows: FlowsService,
    private readonly enabling: Enabling,
    private readonly dryRuns: DryRuns,
    private readonly samples: SamplesService,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @Requires(flow('read'), scopes('api', 'api:flows'))
  @Refuses('too_many_dry_runs', 'unknown_id')
  @ApiOperation({ summary: 'Say whether a flow, or a draft of it, could be enabled, and what is doubtful about it' })
  @Answers(200, flowReportSchema, 'All errors, required test cases that fail included, and all warnings.')
  async validate(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Body() draft: DraftFields,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FlowReport> {
    const gone = goneOf(reply);
    return this.enabling.report(await this.flows.draft(caller, flowId, 'read', draft), gone);
  }

  @Post('dry-run')
  @HttpCode(200)
  @Requires(flow('execute'), scopes('api', 'api:flows'))
  @Refuses('too_many_dry_runs', 'unresolved_refs', ...ALL_LAYERS_REFUSALS)
  @ApiOperation({ summary: 'Run a flow in memory, with given outs in the place of what reaches outside' })
  @Answers(200, dryRunSchema, 'What each layer would do. Nothing is stored, nothing is sent, at most 5 s and 16 MB.')
  async dryRun(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Body() { args = {}, fixtures = {}, samples = true, ...draft }: DryRunBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DryRunView> {
    const gone = goneOf(reply);
    const flow = await this.flows.draft(caller, flowId, 'execute', draft);
    if (draft.when !== undefined) assertCondition(flow.when);
    if (draft.layers !== undefined) await assertAllLayers(flow.layers);
    assertFixtureRefs(flow, fixtures);
    const all = samples ? await this.samples.fixtures(caller, flow, fixtures) : fixtures;
    return toDryRunView(flow, await this.dryRuns.run(flow, { args, fixtures: all }, gone));
  }
}
