import { Module, type FactoryProvider } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient } from '@weft/egress';
import { OidcClient, openOAuth, ProviderDirectory, SecretBox, type OAuth } from '@weft/identity';
import { NEW_ID, type NewId } from '@weft/kernel';
import { Mongo } from '@weft/store';
import { OAUTH } from './oauth.token.js';
import { AuthorizationFlow } from './authorization-flow.js';
import { LinkAuthorization } from './link-authorization.js';

const providers: FactoryProvider[] = [
  {
    provide: OAUTH,
    inject: [Mongo, SETTINGS, NEW_ID],
    useFactory: (mongo: Mongo, settings: Settings, newId: NewId) => {
      const http = createEgressClient(settings.egress);
      return { ...openOAuth({ mongo, settings, http, processTag: newId() }), onModuleDestroy: () => http.close() };
    },
  },
  { provide: SecretBox, inject: [OAUTH], useFactory: ({ secrets }: OAuth) => secrets },
  { provide: ProviderDirectory, inject: [OAUTH], useFactory: ({ providers: directory }: OAuth) => directory },
  { provide: OidcClient, inject: [OAUTH], useFactory: ({ oidc }: OAuth) => oidc },
];

/** The installation's identity providers, the authorization flow with them, and the secrets that both need. */
@Module({
  providers: [...providers, AuthorizationFlow, LinkAuthorization],
  exports: [OAUTH, SecretBox, ProviderDirectory, OidcClient, AuthorizationFlow, LinkAuthorization],
})
export class IdentityProvidersModule {}
