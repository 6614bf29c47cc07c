import { lastIdAt } from '@weft/kernel';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { findPage, fromThere, pageWithTotal, TOTAL_CAP, type PageOf, type PageRequest } from '../driver/paging.js';
import { TenantScope, type SystemScope } from '../scope.js';
import { emailKey } from './email-key.js';
import type { AuditAction } from './audit-actions.js';
import { AuditCountsRepository, type AuditCounts } from './audit-counts.js';
import { AUDIT_LOGS, REDACT_AFTER_MS, type AuditDocument } from './audit.schema.js';
import type { AuditFacts } from './entry-proof.js';

export interface AuditFilter {
  readonly action?: AuditAction;
  /** Id or e-mail of who did it. */
  readonly actor?: string;
  readonly resource_type?: string;
  readonly resource_id?: string;
  /** `timestamp` from here on … */
  readonly from?: Date;
  /** … and before here. */
  readonly to?: Date;
}

/** The log of a company; with a `SystemScope`, that of what belongs to no company. */
export type AuditLog = TenantScope | SystemScope;

/** Ids and timestamps come from different clocks. */
const ID_SLACK_MS = 2 * 24 * 3_600_000;

/** Reads the audit log; `recordAudit` writes it. */
export class AuditRepository {
  private readonly counts: AuditCountsRepository;

  constructor(private readonly mongo: Mongo) {
    this.counts = new AuditCountsRepository(mongo);
  }

  /** Newest first. Rows and total are as committed; the cache only saves counting what was counted before. */
  async list(of: AuditLog, filter: AuditFilter, page: PageRequest): Promise<PageOf<AuditDocument>> {
    const query = this.queryOf(of, filter);
    const asked = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const isCommon = asked.length <= 1 && asked.every((name) => COMMON.has(name));
    const counts = isCommon && of instanceof TenantScope ? await this.counts.find(of.companyId) : null;
    if (!counts) return findPage<AuditDocument>(this.entries(), query, page, {});
    const counted = Math.min(countedIn(counts, filter), TOTAL_CAP + 1);
    const later: mongo.Filter<AuditDocument> = { $and: [query, { _id: { $gt: counts.through } }] };
    return pageWithTotal<AuditDocument>(this.entries(), fromThere(query, page), page, {}, async () =>
      counted > TOTAL_CAP
        ? counted
        : counted + (await this.entries().countDocuments(later, { limit: TOTAL_CAP + 1 - counted })),
    );
  }

  /** '' when the log has no entry: what is written later has, but for the clocks of its writers, a later one. */
  async newestId(of: AuditLog): Promise<string> {
    const newest = await this.entries().findOne(
      { company_id: companyIdOf(of) },
      { projection: { _id: 1 }, sort: { _id: -1 } },
    );
    return newest?._id ?? '';
  }

  /** The next entries of an export, newest first, after an id; not later than `upTo`. */
  async batch(
    of: AuditLog,
    filter: AuditFilter,
    { after, upTo, limit }: { readonly after: string | null; readonly upTo: string; readonly limit: number },
  ): Promise<AuditFacts[]> {
    const window = after === null ? { $lte: upTo } : { $lt: after };
    return this.entries()
      .find({ $and: [this.queryOf(of, filter), { _id: window }] }, { batchSize: limit, projection: FACTS })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** What one person did in the company, newest first. */
  async listOfActor(scope: TenantScope, userId: string, page: PageRequest): Promise<PageOf<AuditDocument>> {
    return findPage<AuditDocument>(this.entries(), { company_id: scope.companyId, UserID: userId }, page, {});
  }

  /**
   * Entries with one of these actions, in the order of their ids.
   *
   * @param after an id, or `lastIdAt` of a time
   */
  async since(
    { companyId }: TenantScope,
    actions: readonly AuditAction[],
    after: string,
    limit: number,
  ): Promise<AuditFacts[]> {
    return this.entries()
      .find(
        { company_id: companyId, action_type: { $in: [...actions] }, _id: { $gt: after } },
        { projection: FACTS, sort: { _id: 1 }, limit },
      )
      .toArray();
  }

  private queryOf(of: AuditLog, filter: AuditFilter): mongo.Filter<AuditDocument> {
    const { action, actor, resource_type, resource_id, from, to } = filter;
    const parts: mongo.Filter<AuditDocument>[] = [{ company_id: companyIdOf(of) }];
    if (action !== undefined) parts.push({ action_type: action });
    if (resource_type !== undefined) parts.push({ resource_type });
    if (resource_id !== undefined) parts.push({ resource_id });
    if (actor?.includes('@')) {
      // an address is forgotten at 30 days, also where the redaction of the stored entry is still to come
      const known = new Date(this.mongo.serverNow() - REDACT_AFTER_MS);
      parts.push({ UserEmail: { $in: [...new Set([actor, emailKey(actor)])] }, timestamp: { $gte: known } });
    } else if (actor !== undefined) {
      parts.push({ UserID: actor });
    }
    if (from)
      parts.push({ timestamp: { $gte: from }, _id: { $gt: lastIdAt(Math.max(0, from.getTime() - ID_SLACK_MS)) } });
    if (to) parts.push({ timestamp: { $lt: to }, _id: { $lte: lastIdAt(Math.max(0, to.getTime() + ID_SLACK_MS)) } });
    return { $and: parts };
  }

  private entries(): mongo.Collection<AuditDocument> {
    return this.mongo.collection<AuditDocument>(AUDIT_LOGS);
  }
}

function companyIdOf(of: AuditLog): string | null {
  return of instanceof TenantScope ? of.companyId : null;
}

/** What an entry tells, without what proves it. */
const FACTS = { personal: 0, mac: 0, seal: 0 } as const;

const COMMON: ReadonlySet<string> = new Set(['action', 'resource_type'] satisfies (keyof AuditFilter)[]);

function countedIn(counts: AuditCounts, { action, resource_type }: AuditFilter): number {
  if (action !== undefined) return counts.byAction[action] ?? 0;
  if (resource_type !== undefined) return counts.byResource[resource_type] ?? 0;
  return counts.total;
}
