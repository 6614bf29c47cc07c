import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import { findPage, type PageOf, type PageRequest } from '../paging.js';
import type { TenantScope } from '../scope.js';
import { AUDIT_LOGS, type AuditDocument } from './audit.schema.js';

/** Reads the audit log; `recordAudit` writes it. */
export class AuditRepository {
  constructor(private readonly mongo: Mongo) {}

  /** What one person did in the company, newest first. */
  async listOfActor(scope: TenantScope, userId: string, page: PageRequest): Promise<PageOf<AuditDocument>> {
    const entries: mongo.Collection<AuditDocument> = this.mongo.collection<AuditDocument>(AUDIT_LOGS);
    return findPage<AuditDocument>(entries, { company_id: scope.companyId, UserID: userId }, page, {});
  }
}
