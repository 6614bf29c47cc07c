import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { flow, scopes, type Principal } from '@weft/access';
import type { BacktestView } from '@weft/contracts';
import { Caller } from '../../auth/caller.js';
import { Requires } from '../../auth/requires.js';
import { apiPaths } from '../../http/api-paths.js';
import { Refuses } from '../../http/refuses.js';
import { Answers } from '../../http/schema.js';
import { BacktestBody } from './backtest.requests.js';
import { backtestSchema } from './backtest.schemas.js';
import { BacktestsService } from './backtests.service.js';

@ApiTags('Flows')
@Controller(apiPaths('flows/:flowId'))
export class BacktestController {
  constructor(private readonly backtests: BacktestsService) {}

  @Post('backtest')
  @HttpCode(200)
  @Requires(flow('edit'), scopes('api', 'api:flows'))
  @Refuses('too_many_dry_runs', 'invalid_document', 'left_out', 'insufficient_scope')
  @ApiOperation({ summary: 'Say what a version would have done otherwise in the last plays of its flow' })
  @Answers(
    200,
    backtestSchema,
    'What each play would have done, newest first. Nothing is stored, nothing is sent, at most 30 s.',
  )
  backtest(
    @Caller() caller: Principal,
    @Param('flowId') flowId: string,
    @Body() body: BacktestBody,
  ): Promise<BacktestView> {
    return this.backtests.run(caller, flowId, body);
  }
}
