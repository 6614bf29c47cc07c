import { ProcessCache, type CacheView } from '@weft/concurrency';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Answers } from '../http/schema.js';
import { findModule, listModules, type ModuleView } from './module.view.js';
import { moduleListSchema, moduleSchema } from './module.schemas.js';

@ApiTags('Modules')
@Controller(apiPaths('modules'))
export class ModulesController {
  private readonly described: CacheView<ModuleView>;

  constructor(cache: ProcessCache) {
    this.described = cache.of('module_definitions');
  }

  @Get()
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'List the modules that layers can use' })
  @Answers(200, moduleListSchema, 'All modules.')
  list(@Query() _query: NoQuery): { readonly items: readonly ModuleView[] } {
    return { items: listModules(this.described) };
  }

  @Get(':appId')
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({ summary: 'Read what a module takes and gives' })
  @Answers(200, moduleSchema, 'The module.')
  read(@Param('appId') appId: string): ModuleView {
    const module = findModule(appId, this.described);
    if (!module) throw new WeftError('not_found', 'There is no module with this appId.');
    return module;
  }
}
