import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module.js';
import { IntegrationsModule } from '../integrations/integrations.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { ApiAdoptionService } from './api-adoption.service.js';
import { ApiDiffService } from './api-diff.service.js';
import { ApisController } from './apis.controller.js';
import { IdentityProvidersModule } from '../oauth/identity-providers.module.js';
import { McpAuthorizationService } from './mcp-authorization.service.js';
import { McpServersController } from './mcp-servers.controller.js';
import { ApisService } from './apis.service.js';

/** Services of which the company has given the OpenAPI document, and MCP servers. */
@Module({
  imports: [IdentityProvidersModule, FlowsModule, IntegrationsModule, PayloadsModule],
  controllers: [ApisController, McpServersController],
  providers: [ApisService, ApiDiffService, ApiAdoptionService, McpAuthorizationService],
})
export class ApisModule {}
