import { Module, type FactoryProvider } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { createEgressClient } from '@weft/egress';
import { NEW_ID, SETTINGS } from '@weft/host';
import { OidcClient, openOAuth, ProviderDirectory, SecretBox, type OAuth } from '@weft/identity';
import type { NewId } from '@weft/kernel';
import { Mongo } from '@weft/persistence';
import { OAUTH } from './oauth.token.js';
import { OAuthWays } from './oauth-ways.js';

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

/** The identity providers of the installation, the way to them and back, and the secrets that hang on both. */
@Module({
  providers: [...providers, OAuthWays],
  exports: [OAUTH, SecretBox, ProviderDirectory, OidcClient, OAuthWays],
})
export class IdentityProvidersModule {}
