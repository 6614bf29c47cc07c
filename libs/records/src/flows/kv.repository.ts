import { parseStoredJson } from '@weft/kernel';
import type { ClientSession, mongo } from 'mongoose';
import { findPage, isDuplicateKey, type Mongo, type PageOf, type PageRequest, type TenantScope } from '@weft/store';
import { addAs, countUp, remove, setTo, type ChangeOf } from './kv-change.js';
import { KV_STORES, type KvChange, type KvDocument } from './kv.schema.js';

/** Two first writes of one key at once: the second one finds what the first one made. */
const ATTEMPTS = 5;

/** An entry as it is read. */
export interface KvEntry {
  readonly _id: string;
  readonly key: string;
  readonly value: unknown;
  readonly expiresAt: Date | null;
  /** Grows with each change, and is never used again for this key. */
  readonly version: number;
}

/** The entry has another version, or is not there. Nothing was changed. */
export interface Conflict {
  readonly refused: 'version_conflict';
}

/** What a change found and made: of a change that is repeated, what it made the first time. */
export interface Changed {
  readonly existed: boolean;
  /** Of the entry after the change. */
  readonly version: number;
}

export type Counted =
  | (Changed & { readonly value: number })
  /** What is there is no number, or the sum would not be exact. Nothing was changed. */
  | { readonly refused: 'not_a_number' | 'out_of_range' };

/** What to change, by whom it is asked for. */
export interface KvChangeRequest extends ChangeOf {
  readonly key: string;
}

/** The key-value stores of all companies; every method sees one company's. Values are any JSON. */
export class KvRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, key: string, session?: ClientSession): Promise<KvEntry | null> {
    const entry = await this.entries().findOne(
      { company_id: scope.companyId, key, ...this.isThere() },
      { projection: SHOWN, ...(session && { session }) },
    );
    return entry && toEntry(entry);
  }

  /** Newest first. */
  async list(scope: TenantScope, prefix: string | null, page: PageRequest): Promise<PageOf<KvEntry>> {
    const named = prefix === null ? {} : { key: { $gte: prefix, $lt: `${prefix}\u{10ffff}` } };
    const filter = { company_id: scope.companyId, ...named, ...this.isThere() };
    const found = await findPage<KvDocument>(this.entries(), filter, page, SHOWN);
    return { ...found, items: found.items.map(toEntry) };
  }

  /** Sets it unless it is there. @returns what was there, or what was made; `existed` says which */
  async add(
    scope: TenantScope,
    request: KvChangeRequest,
    value: unknown,
    ttlMs: number | null,
  ): Promise<Changed & { readonly value: unknown }> {
    const after = await this.upsert(scope, request, addAs(storedAs(value), ttlMs, request));
    const made = changeIn(after, request);
    if (made) return { existed: false, value, version: versionIn(made) };
    const { value: theirs, version } = toEntry(after);
    return { existed: true, value: theirs, version };
  }

  /** @param ttlMs null: it stays */
  async set(
    scope: TenantScope,
    request: KvChangeRequest,
    value: unknown,
    ttlMs: number | null,
  ): Promise<Changed | Conflict> {
    const pipeline = setTo(storedAs(value), ttlMs, request);
    const after =
      request.ifVersion === undefined
        ? await this.upsert(scope, request, pipeline)
        : await this.update(scope, request, pipeline);
    const change = after && changeIn(after, request);
    return change ? { existed: change.existed, version: versionIn(change) } : CONFLICT;
  }

  /** Sets it in a transaction, as a change that nobody repeats. @returns the entry as it is then */
  async setWithin(
    session: ClientSession,
    scope: TenantScope,
    request: KvChangeRequest,
    value: unknown,
    ttlMs: number | null,
  ): Promise<KvEntry> {
    return toEntry(await this.upsert(scope, request, setTo(storedAs(value), ttlMs, request), session));
  }

  /** One step for any number of callers at once; an entry that is not there counts from 0. */
  async increment(scope: TenantScope, request: KvChangeRequest, by: number, ttlMs: number | null): Promise<Counted> {
    const after = await this.upsert(scope, request, countUp(by, ttlMs, request));
    const change = changeIn(after, request);
    if (change?.value != null) return { value: change.value, existed: change.existed, version: versionIn(change) };
    return { refused: typeof after.value === 'number' ? 'out_of_range' : 'not_a_number' };
  }

  /** @returns whether it was there */
  async remove(
    scope: TenantScope,
    request: KvChangeRequest,
    session?: ClientSession,
  ): Promise<{ readonly existed: boolean } | Conflict> {
    const after = await this.update(scope, request, remove(request), session);
    const change = after && changeIn(after, request);
    if (change) return { existed: change.existed };
    return request.ifVersion === undefined ? { existed: false } : CONFLICT;
  }

  private async upsert(
    scope: TenantScope,
    { key }: KvChangeRequest,
    pipeline: mongo.Document[],
    session?: ClientSession,
  ): Promise<KvDocument> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const after = await this.entries().findOneAndUpdate({ company_id: scope.companyId, key }, pipeline, {
          upsert: true,
          returnDocument: 'after',
          ...(session && { session }),
        });
        if (!after) throw new Error('an upsert gave no entry');
        return after;
      } catch (error) {
        if (!isDuplicateKey(error) || attempt === ATTEMPTS || session) throw error;
      }
    }
  }

  /** Null: nothing is stored under the key. */
  private update(
    scope: TenantScope,
    { key }: KvChangeRequest,
    pipeline: mongo.Document[],
    session?: ClientSession,
  ): Promise<KvDocument | null> {
    return this.entries().findOneAndUpdate({ company_id: scope.companyId, key }, pipeline, {
      returnDocument: 'after',
      ...(session && { session }),
    });
  }

  private isThere(): mongo.Filter<KvDocument> {
    const now = new Date(this.mongo.serverNow());
    return { value: { $ne: null }, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  }

  private entries(): mongo.Collection<KvDocument> {
    return this.mongo.collection<KvDocument>(KV_STORES);
  }
}

const CONFLICT: Conflict = { refused: 'version_conflict' };
const SHOWN = { key: 1, value: 1, expiresAt: 1, updatedAt: 1 } as const;

function changeIn({ recent }: KvDocument, { once }: KvChangeRequest) {
  return recent.find((change) => change.once === once);
}

/** 0, which no entry has, for a change that 1.0 made. */
function versionIn({ updatedAt }: KvChange): number {
  return updatedAt?.getTime() ?? 0;
}

function storedAs(value: unknown): number | string {
  return typeof value === 'number' ? value : JSON.stringify(value);
}

function toEntry({ _id, key, value, expiresAt, updatedAt }: KvDocument): KvEntry {
  return {
    ...{ _id, key, expiresAt, version: updatedAt.getTime() },
    value: typeof value === 'string' ? parseStoredJson(value) : value,
  };
}
