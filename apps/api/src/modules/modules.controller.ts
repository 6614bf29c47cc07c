import { ProcessCache, type CacheView } from '@weft/concurrency';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { scopes, SIGNED_IN, type Principal } from '@weft/access';
import { asSentence, WeftError } from '@weft/kernel';
import { isFaceFault, MCP_FACE, moduleOf } from '@weft/layers';
import { OperationFaces } from '@weft/records';
import { TenantScope } from '@weft/store';
import { Caller } from '../auth/caller.js';
import { Requires } from '../auth/requires.js';
import { apiPaths } from '../http/api-paths.js';
import { NoQuery } from '../http/query-fields.js';
import { Answers } from '../http/schema.js';
import { FaceQuery } from './module.requests.js';
import { faceView, findModule, listModules, type FaceView, type ModuleView } from './module.view.js';
import { faceSchema, moduleListSchema, moduleSchema } from './module.schemas.js';

const MCP_TOOL = 'mcp-tool';

@ApiTags('Modules')
@Controller(apiPaths('modules'))
export class ModulesController {
  private readonly described: CacheView<ModuleView>;

  constructor(
    cache: ProcessCache,
    private readonly faces: OperationFaces,
  ) {
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

  @Get(':appId/face')
  @Requires(SIGNED_IN, scopes('api', 'api:read', 'api:flows'))
  @ApiOperation({
    summary: 'Read what a layer takes and gives by what its arguments name, an operation of an API for example',
  })
  @Answers(200, faceSchema, 'The face.')
  async face(
    @Caller() { companyId }: Principal,
    @Param('appId') appId: string,
    @Query() { key }: FaceQuery,
  ): Promise<FaceView> {
    const module = this.read(appId);
    if (!moduleOf(appId)?.faceKey)
      throw new WeftError('not_found', 'What this module takes is the same for all layers.');
    const whole = appId === MCP_TOOL && !key.startsWith(MCP_FACE) ? `${MCP_FACE}${key}` : key;
    const face = await this.faces.findOne(new TenantScope(companyId), whole);
    if (isFaceFault(face)) throw new WeftError('not_found', asSentence(face.message));
    return faceView(module, face);
  }
}
