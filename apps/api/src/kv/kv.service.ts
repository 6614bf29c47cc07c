import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError, type NewId, NEW_ID } from '@weft/kernel';
import { MAX_KV_BYTES } from '@weft/layers';
import {
  Mongo,
  recordAudit,
  TenantScope,
  type AuditAction,
  type AuditEntryInput,
  type PageOf,
  type PageRequest,
} from '@weft/store';
import { KV_STORES, KvRepository, type KvEntry } from '@weft/records';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { KV_KEY, MAX_KV_KEY } from './kv.requests.js';

/** The key-value store of the caller's company, which its flows share. */
@Injectable()
export class KvService {
  constructor(
    private readonly mongo: Mongo,
    private readonly store: KvRepository,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  list(caller: Principal, prefix: string | undefined, page: PageRequest): Promise<PageOf<KvEntry>> {
    return this.store.list(scopeOf(caller), prefix ?? null, page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, key: string): Promise<KvEntry> {
    const entry = await this.store.find(scopeOf(caller), key);
    if (!entry) throw notFound();
    return entry;
  }

  /** @throws WeftError `invalid_body`, `value_too_large`, `version_conflict` */
  async set(
    actor: Actor,
    key: string,
    { value, ttlMs }: { readonly value: unknown; readonly ttlMs: number | null },
    allowed: AllowedEntry,
  ): Promise<KvEntry> {
    assertKey(key);
    assertFits(value);
    const scope = scopeOf(actor.caller);
    return this.mongo.transaction(async (session) => {
      const before = await this.store.find(scope, key, session);
      assertAllowed(before, allowed);
      const entry = await this.store.setWithin(session, scope, this.request(key), value, ttlMs);
      await recordAudit(session, entryOf(actor, 'kv_entry_set', before, entry));
      return entry;
    });
  }

  /** @throws WeftError `not_found`, `version_conflict` */
  async remove(actor: Actor, key: string, allowed: AllowedEntry): Promise<void> {
    const scope = scopeOf(actor.caller);
    await this.mongo.transaction(async (session) => {
      const before = await this.store.find(scope, key, session);
      if (!before) throw notFound();
      assertAllowed(before, allowed);
      await this.store.remove(scope, this.request(key), session);
      await recordAudit(session, entryOf(actor, 'kv_entry_deleted', before, null));
    });
  }

  private request(key: string) {
    return { key, once: null, newId: this.newId() };
  }
}

/** Which entry a change may find. */
export type AllowedEntry = 'any' | 'none' | 'some' | readonly number[];

function assertAllowed(before: KvEntry | null, allowed: AllowedEntry): void {
  if (allowed === 'any') return;
  if (allowed === 'none') {
    if (before) throw new WeftError('version_conflict', 'There is an entry with this key already.');
    return;
  }
  if (!before) throw new WeftError('version_conflict', 'There is no entry with this key any more.');
  if (allowed === 'some' || allowed.includes(before.version)) return;
  throw new WeftError('version_conflict', `The entry has version ${before.version} by now. Read it again.`);
}

/** The value of a key for the audit log: numbers unchanged; for texts and objects, which may be private, only the size. */
function entryOf(actor: Actor, action: AuditAction, before: KvEntry | null, after: KvEntry | null): AuditEntryInput {
  const subject = { collection: KV_STORES, resource_type: 'kv_entry', resource_id: (after ?? before)?.key ?? '' };
  const changes = changesBetween(audited(before), audited(after), ['value', 'value_bytes', 'expires_at']);
  return actorEntry(actor, action, subject, changes);
}

function audited(entry: KvEntry | null) {
  if (!entry) return null;
  const { value, expiresAt } = entry;
  const expires_at = expiresAt?.toISOString() ?? null;
  if (typeof value === 'number' || typeof value === 'boolean') return { value, value_bytes: null, expires_at };
  return { value: null, value_bytes: bytesOf(value), expires_at };
}

function assertKey(key: string): void {
  if (key.length <= MAX_KV_KEY && KV_KEY.test(key)) return;
  const message = `a key has 1 to ${MAX_KV_KEY} characters and no control characters`;
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'key', code: 'invalid', message }] });
}

function assertFits(value: unknown): void {
  const bytes = bytesOf(value);
  if (bytes <= MAX_KV_BYTES) return;
  const message = `the value has ${bytes} bytes as JSON; at most ${MAX_KV_BYTES} are kept`;
  throw new WeftError('value_too_large', `${message}.`, {
    errors: [{ path: 'value', code: 'value_too_large', message }],
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'Your company has no entry with this key.');
}
