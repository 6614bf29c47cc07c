import { Module, type DynamicModule, type FactoryProvider, type InjectionToken } from '@nestjs/common';
import type { Settings } from '@weft/config';
import type { Clock, NewId } from '@weft/kernel';
import { Mongo, RunTimeSettings } from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import { ApiKeyTokens } from './api-key-tokens.js';
import { ClientAddress } from './client-address.js';
import { CredentialChecker } from './credential-checker.js';
import { GrantCache } from './grant-cache.js';
import { openIdentity, type Identity } from './open-identity.js';
import { Sessions } from './sessions.js';

/** Under which tokens the process keeps what this library needs; libs/host, which names them, is above us. */
export interface HostTokens {
  readonly settings: InjectionToken;
  readonly clock: InjectionToken;
  readonly newId: InjectionToken;
}

const IDENTITY = Symbol('IDENTITY');
const MADE = new Map<InjectionToken, DynamicModule>();

/** One set of `openIdentity` for all modules of a process: its classes are their own tokens. */
@Module({})
export class IdentityModule {
  /** The same tokens give the same module, so that the api and the gateway in one process share one cache. */
  static with({ settings, clock, newId }: HostTokens): DynamicModule {
    const known = MADE.get(settings);
    if (known) return known;
    const providers: FactoryProvider[] = [
      {
        provide: IDENTITY,
        inject: [Mongo, InvalidationBus, RunTimeSettings, settings, clock, newId],
        useFactory: (
          mongo: Mongo,
          bus: InvalidationBus,
          now: RunTimeSettings,
          told: Settings,
          time: Clock,
          ids: NewId,
        ) =>
          openIdentity({
            mongo,
            bus,
            settings: told,
            clock: time,
            newId: ids,
            ttlHours: () => now.get('session.ttl_hours'),
          }),
      },
      { provide: CredentialChecker, inject: [IDENTITY], useFactory: ({ checker }: Identity) => checker },
      { provide: GrantCache, inject: [IDENTITY], useFactory: ({ grants }: Identity) => grants },
      { provide: ApiKeyTokens, inject: [IDENTITY], useFactory: ({ tokens }: Identity) => tokens },
      { provide: Sessions, inject: [IDENTITY], useFactory: ({ sessions }: Identity) => sessions },
      { provide: ClientAddress, inject: [IDENTITY], useFactory: ({ clientAddress }: Identity) => clientAddress },
    ];
    const made = {
      module: IdentityModule,
      providers,
      exports: [CredentialChecker, GrantCache, ApiKeyTokens, Sessions, ClientAddress],
    };
    MADE.set(settings, made);
    return made;
  }
}
