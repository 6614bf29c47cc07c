import { parseStoredJson } from '@weft/kernel';
import type { ClientSession, mongo } from 'mongoose';
import { findPage, isDuplicateKey, type Mongo, type PageOf, type PageRequest, type TenantScope } from '@weft/store';
import { countUp, remove, setTo, type ChangeOf } from './kv-change.js';
import { KV_STORES, type KvDocument } from './kv.schema.js';

/** Two first writes of one key at once: the second one finds what the first one made. */
const ATTEMPTS = 5;

/** An entry as it is read. */
export interface KvEntry {
  readonly _id: string;
  readonly key: string;
  readonly value: unknown;
  readonly expiresAt: Date | null;
}

export type Counted =
  | { readonly value: number; readonly existed: boolean }
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

  /** @param ttlMs null: it stays */
  async set(
    scope: TenantScope,
    request: KvChangeRequest,
    value: unknown,
    ttlMs: number | null,
    session?: ClientSession,
  ): Promise<{ readonly existed: boolean; readonly entry: KvEntry }> {
    const stored = typeof value === 'number' ? value : JSON.stringify(value);
    const after = await this.change(scope, request, setTo(stored, ttlMs, request), session);
    return { existed: changeIn(after, request)?.existed ?? false, entry: toEntry(after) };
  }

  /** One step for any number of callers at once; an entry that is not there counts from 0. */
  async increment(scope: TenantScope, request: KvChangeRequest, by: number, ttlMs: number | null): Promise<Counted> {
    const after = await this.change(scope, request, countUp(by, ttlMs, request));
    const change = changeIn(after, request);
    if (change?.value != null) return { value: change.value, existed: change.existed };
    return { refused: typeof after.value === 'number' ? 'out_of_range' : 'not_a_number' };
  }

  /** @returns whether it was there */
  async remove(scope: TenantScope, request: KvChangeRequest, session?: ClientSession): Promise<boolean> {
    const after = await this.entries().findOneAndUpdate(
      { company_id: scope.companyId, key: request.key },
      remove(request),
      { returnDocument: 'after', ...(session && { session }) },
    );
    return after !== null && (changeIn(after, request)?.existed ?? false);
  }

  private async change(
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

  private isThere(): mongo.Filter<KvDocument> {
    const now = new Date(this.mongo.serverNow());
    return { value: { $ne: null }, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  }

  private entries(): mongo.Collection<KvDocument> {
    return this.mongo.collection<KvDocument>(KV_STORES);
  }
}

const SHOWN = { key: 1, value: 1, expiresAt: 1 } as const;

function changeIn({ recent }: KvDocument, { once }: KvChangeRequest) {
  return recent.find((change) => change.once === once);
}

function toEntry({ _id, key, value, expiresAt }: KvDocument): KvEntry {
  return { _id, key, value: typeof value === 'string' ? parseStoredJson(value) : value, expiresAt };
}
