import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { IdentityProvidersModule } from '../oauth/identity-providers.module.js';
import { ConnectedIntegrations } from './connected-integrations.js';
import { IntegrationCheck } from './integration-check.js';
import { IntegrationsController } from './integrations.controller.js';
import { IntegrationsService } from './integrations.service.js';

/** Integration links to other services, whose credentials layers use. */
@Module({
  imports: [IdentityModule, IdentityProvidersModule],
  controllers: [IntegrationsController],
  providers: [IntegrationsService, ConnectedIntegrations, IntegrationCheck],
  exports: [ConnectedIntegrations, IntegrationsService],
})
export class IntegrationsModule {}
