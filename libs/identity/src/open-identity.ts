import type { Settings } from '@weft/config';
import type { Clock, NewId } from '@weft/kernel';
import { GrantRepository, type Mongo } from '@weft/persistence';
import type { InvalidationBus } from '@weft/realtime-bus';
import { ApiKeyTokens, deriveTokenKey } from './api-key-tokens.js';
import { ClientAddress } from './client-address.js';
import { CredentialChecker } from './credential-checker.js';
import { GrantCache } from './grant-cache.js';
import { PrincipalSource } from './principal-source.js';
import { Sessions } from './sessions.js';

export interface IdentityParts {
  readonly mongo: Mongo;
  readonly settings: Pick<Settings, 'secrets' | 'session' | 'server'>;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly bus: Pick<InvalidationBus, 'on'>;
  /** Hours that a session lives without a request, where that may change while the process runs. */
  readonly ttlHours?: () => number;
}

/** What a process that serves callers needs of this library, put together once. */
export interface Identity {
  readonly tokens: ApiKeyTokens;
  readonly checker: CredentialChecker;
  readonly grants: GrantCache;
  readonly sessions: Sessions;
  readonly clientAddress: ClientAddress;
}

const HOUR_MS = 3_600_000;

export function openIdentity({ mongo, settings, clock, newId, bus, ttlHours }: IdentityParts): Identity {
  const { encKeySecret, encKeySecretPrevious, envKeySalt } = settings.secrets;
  const earlier = encKeySecretPrevious.map((secret) => deriveTokenKey(secret, envKeySalt));
  const tokens = new ApiKeyTokens([deriveTokenKey(encKeySecret, envKeySalt), ...earlier], clock);
  const checker = new CredentialChecker(new PrincipalSource(mongo, clock), tokens, clock);
  for (const kind of ['session', 'user', 'api-key', 'company'] as const) {
    bus.on(kind, (id) => checker.forget({ kind, id }));
  }
  const grants = new GrantCache(new GrantRepository(mongo), clock);
  bus.on('grants', (granteeId) => grants.forget(granteeId));
  const rules = () => ({
    ttlMs: (ttlHours?.() ?? settings.session.ttlHours) * HOUR_MS,
    maxMs: settings.session.maxHours * HOUR_MS,
  });
  return {
    tokens,
    checker,
    grants,
    sessions: new Sessions(mongo, checker, rules, clock, newId),
    clientAddress: new ClientAddress(settings.server.trustProxy),
  };
}
