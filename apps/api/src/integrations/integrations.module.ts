import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from '../oauth/identity-providers.module.js';
import { ConnectedIntegrations } from './connected-integrations.js';
import { IntegrationCheck } from './integration-check.js';
import { IntegrationsController } from './integrations.controller.js';
import { IntegrationsService } from './integrations.service.js';

/** Links to other services, whose credentials layers use. */
@Module({
  imports: [IdentityProvidersModule],
  controllers: [IntegrationsController],
  providers: [IntegrationsService, ConnectedIntegrations, IntegrationCheck],
  exports: [ConnectedIntegrations],
})
export class IntegrationsModule {}
