import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { atLeast, OPERATOR, scopes, type Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { Answers } from '../http/schema.js';
import { ConfigService } from './config.service.js';
import { configSchema, type ConfigView } from './config.view.js';

@ApiTags('Installation')
@Controller(apiPaths('admin/config'))
export class ConfigController {
  constructor(private readonly config: ConfigService) {}

  @Get()
  @Requires(atLeast('admin'), scopes('api', 'api:read', 'admin'))
  @ApiOperation({ summary: 'List every setting with the value in effect; secrets are masked' })
  @Answers(200, configSchema, 'All settings.')
  read(@Caller() caller: Principal, @Query() _query: NoQuery): ConfigView {
    return this.config.read(caller);
  }

  @Patch()
  @Requires(OPERATOR, scopes('admin'))
  @Refuses('not_changeable')
  @ApiOperation({
    summary: 'Change settings at run time, in all processes within five seconds; null takes a change back',
  })
  @ApiBody({
    schema: {
      type: 'object',
      properties: {
        'logging.level': { type: 'string', enum: ['debug', 'info', 'warn', 'error'] },
        'session.ttl_hours': { type: 'number', description: 'Of sessions that begin or are renewed from now on.' },
        'retention.cleanup_interval': { type: 'string', example: '2m' },
      },
    },
  })
  @Answers(200, configSchema, 'All settings as they are now.')
  change(
    @Caller() caller: Principal,
    @Origin() origin: RequestOrigin,
    @Body() body: Record<string, unknown> | undefined,
  ): Promise<ConfigView> {
    if (body !== undefined && (body === null || typeof body !== 'object' || Array.isArray(body))) {
      throw new WeftError('invalid_body', 'The body must be an object of settings and their values.');
    }
    return this.config.change({ caller, origin }, body ?? {});
  }
}
