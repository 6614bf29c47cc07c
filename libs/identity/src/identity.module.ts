import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { CLOCK, NEW_ID, type Clock, type NewId } from '@weft/kernel';
import {
  ApiKeyRepository,
  CompanyRepository,
  GrantRepository,
  RunTimeSettings,
  SessionRepository,
  UserRepository,
} from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { ApiKeyTokens, deriveTokenKey } from './api-key-tokens.js';
import { ClientAddress } from './client-address.js';
import { CredentialChecker } from './credential-checker.js';
import { GrantCache } from './grant-cache.js';
import { MemberSource } from './member-source.js';
import { PrincipalSource } from './principal-source.js';
import { Sessions } from './sessions.js';

const HOUR_MS = 3_600_000;

/** Verifies callers and looks up their grants. All modules of a process share these providers, and so one cache. */
@Module({
  providers: [
    {
      provide: MemberSource,
      inject: [UserRepository, CompanyRepository],
      useFactory: (users: UserRepository, companies: CompanyRepository) => new MemberSource(users, companies),
    },
    {
      provide: ApiKeyTokens,
      inject: [SETTINGS, CLOCK],
      useFactory: ({ secrets }: Settings, clock: Clock) => {
        const { encKeySecret, encKeySecretPrevious, envKeySalt } = secrets;
        const earlier = encKeySecretPrevious.map((secret) => deriveTokenKey(secret, envKeySalt));
        return new ApiKeyTokens([deriveTokenKey(encKeySecret, envKeySalt), ...earlier], clock);
      },
    },
    {
      provide: CredentialChecker,
      inject: [SessionRepository, ApiKeyRepository, MemberSource, ApiKeyTokens, InvalidationBus, CLOCK],
      useFactory: (
        sessions: SessionRepository,
        keys: ApiKeyRepository,
        members: MemberSource,
        tokens: ApiKeyTokens,
        bus: InvalidationBus,
        clock: Clock,
      ) => {
        const checker = new CredentialChecker(new PrincipalSource(sessions, keys, members, clock), tokens, clock);
        for (const kind of ['session', 'user', 'api-key', 'company'] as const) {
          bus.on(kind, (id) => checker.forget({ kind, id }));
        }
        return checker;
      },
    },
    {
      provide: GrantCache,
      inject: [GrantRepository, InvalidationBus, CLOCK],
      useFactory: (repository: GrantRepository, bus: InvalidationBus, clock: Clock) => {
        const grants = new GrantCache(repository, clock);
        bus.on('grants', (granteeId) => grants.forget(granteeId));
        return grants;
      },
    },
    {
      provide: Sessions,
      inject: [SessionRepository, CredentialChecker, SETTINGS, RunTimeSettings, CLOCK, NEW_ID],
      useFactory: (
        records: SessionRepository,
        checker: CredentialChecker,
        settings: Settings,
        runTime: RunTimeSettings,
        clock: Clock,
        newId: NewId,
      ) => {
        const rules = () => ({
          ttlMs: runTime.get('session.ttl_hours') * HOUR_MS,
          maxMs: settings.session.maxHours * HOUR_MS,
        });
        return new Sessions(records, checker, rules, clock, newId);
      },
    },
    {
      provide: ClientAddress,
      inject: [SETTINGS],
      useFactory: ({ server }: Settings) => new ClientAddress(server.trustProxy),
    },
  ],
  exports: [MemberSource, ApiKeyTokens, CredentialChecker, GrantCache, Sessions, ClientAddress],
})
export class IdentityModule {}
