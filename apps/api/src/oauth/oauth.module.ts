import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { AuthModule } from '../auth/auth.module.js';
import { IntegrationsModule } from '../integrations/integrations.module.js';
import { ClientDocumentController } from './client-document.controller.js';
import { ExternalUsers } from './external-users.js';
import { IdentityProvidersModule } from './identity-providers.module.js';
import { IdentitiesController } from './identities.controller.js';
import { OAuthProvidersController } from './oauth-providers.controller.js';
import { OAuthProvidersService } from './oauth-providers.service.js';
import { OAuthSignInController } from './oauth-sign-in.controller.js';
import { OAuthSignInService } from './oauth-sign-in.service.js';

/** Signing in at identity providers, and administering the list of them. */
@Module({
  imports: [IdentityModule, IdentityProvidersModule, IntegrationsModule, AuthModule],
  controllers: [IdentitiesController, OAuthProvidersController, OAuthSignInController, ClientDocumentController],
  providers: [OAuthProvidersService, OAuthSignInService, ExternalUsers],
})
export class OAuthModule {}
