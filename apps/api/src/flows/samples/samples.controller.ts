import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPaths } from '../../http/api-paths.js';
import { Refuses } from '../../http/refuses.js';
import { Origin, type RequestOrigin } from '../../http/request-origin.js';
import { Answers, AnswersNothing } from '../../http/schema.js';
import { PutSampleBody } from './sample.requests.js';
import { sampleSchema, samplesSchema, type SamplesView, type SampleView } from './sample.view.js';
import { SamplesService } from './samples.service.js';

@ApiTags('Samples')
@Controller(apiPaths('flows/:flowId/samples'))
export class SamplesController {
  constructor(private readonly samples: SamplesService) {}

  @Get()
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the samples of the layers of a flow' })
  @Answers(200, samplesSchema, 'All samples by ref: at most 100, of 4 MB together.')
  async list(@Caller() caller: Principal, @Param('flowId') flowId: string): Promise<SamplesView> {
    return { items: await this.samples.list(caller, flowId) };
  }

  @Get(':ref')
  @Requires(flow('read'), scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read the sample of a layer' })
  @Answers(200, sampleSchema, 'The sample.')
  read(@Caller() caller: Principal, @Param('flowId') flowId: string, @Param('ref') ref: string): Promise<SampleView> {
    return this.samples.read(caller, flowId, ref);
  }

  @Put(':ref')
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('value_too_large', 'too_many_samples')
  @ApiOperation({ summary: 'Keep a sample of what a layer gives, in the place of the one it has' })
  @Answers(200, sampleSchema, 'The sample.')
  put(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('ref') ref: string,
    @Body() { out }: PutSampleBody,
  ): Promise<SampleView> {
    return this.samples.put({ caller, origin }, flowId, ref, out);
  }

  @Delete(':ref')
  @HttpCode(204)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @ApiOperation({ summary: 'Remove the sample of a layer' })
  @AnswersNothing('Removed.')
  async remove(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Param('flowId') flowId: string,
    @Param('ref') ref: string,
  ): Promise<void> {
    await this.samples.remove({ caller, origin }, flowId, ref);
  }
}
