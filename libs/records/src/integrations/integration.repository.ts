import type { mongo } from 'mongoose';
import { WeftError } from '@weft/kernel';
import {
  isDuplicateKey,
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type TenantScope,
  unlessTaken,
} from '@weft/store';
import { GrantRepository } from '../people/grant.repository.js';
import { INTEGRATIONS, LINK_KEY, linkUse, type IntegrationDocument } from './integration.schema.js';

/** Which links of the company somebody sees: all, or their own and those that were granted to them. */
export type IntegrationVisibility =
  { readonly all: true } | { readonly all: false; readonly userId: string; readonly grantedIds: readonly string[] };

/** How and where requests show its credentials. */
export type LinkPlace = Pick<IntegrationDocument, 'Kind' | 'Endpoint'>;

/** A link by its names, with what decides on who sees it. */
export type NamedLink = Pick<IntegrationDocument, '_id' | 'UserID' | 'Key'>;

export interface AuthorizedResource {
  readonly issuer: string;
  readonly resource: string;
}

type AccountAtProvider = Pick<IntegrationDocument, 'UserID' | 'ProviderID' | 'ProviderUserID'>;

export class IntegrationRepository {
  private readonly grants: GrantRepository;

  constructor(private readonly mongo: Mongo) {
    this.grants = new GrantRepository(mongo);
  }

  async find(scope: TenantScope, id: string): Promise<IntegrationDocument | null> {
    return this.integrations().findOne({ _id: id, CompanyID: scope.companyId });
  }

  /** Those of these ids that are links of the company, with what decides on their use. */
  async among(scope: TenantScope, ids: readonly string[]): Promise<ReadonlyMap<string, LinkPlace>> {
    if (ids.length === 0) return new Map();
    const filter = { _id: { $in: [...ids] }, CompanyID: scope.companyId };
    const found = await this.integrations()
      .find<LinkPlace & { readonly _id: string }>(filter, { projection: { Kind: 1, Endpoint: 1 } })
      .toArray();
    return new Map(found.map(({ _id, ...place }) => [_id, place]));
  }

  /** Those with one of these ids or keys. */
  async named(scope: TenantScope, names: readonly string[]): Promise<NamedLink[]> {
    const filter = { CompanyID: scope.companyId, $or: [{ _id: { $in: [...names] } }, { Key: { $in: [...names] } }] };
    return this.integrations()
      .find<NamedLink>(filter, { projection: { UserID: 1, Key: 1 } })
      .toArray();
  }

  /** Those with a client of this authorization server that ask for tokens for this resource, newest first. */
  async ofResource(scope: TenantScope, { issuer, resource }: AuthorizedResource): Promise<IntegrationDocument[]> {
    const settings = { 'Settings.issuer': issuer, 'Settings.resource': resource };
    return this.integrations()
      .find({ CompanyID: scope.companyId, Kind: 'oauth2', ...settings })
      .sort({ _id: -1 })
      .toArray();
  }

  /** The link that a user's account at a provider has already. */
  async findByAccount(scope: TenantScope, account: AccountAtProvider): Promise<IntegrationDocument | null> {
    const { UserID, ProviderID, ProviderUserID } = account;
    return this.integrations().findOne({ CompanyID: scope.companyId, UserID, ProviderID, ProviderUserID });
  }

  async list(
    scope: TenantScope,
    seen: IntegrationVisibility,
    { key }: { readonly key?: string },
    page: PageRequest,
  ): Promise<PageOf<IntegrationDocument>> {
    const own = seen.all ? {} : { $or: [{ UserID: seen.userId }, { _id: { $in: [...seen.grantedIds] } }] };
    const filter = { CompanyID: scope.companyId, ...(key !== undefined && { Key: key }), ...own };
    return findPage<IntegrationDocument>(this.integrations(), filter, page, {});
  }

  /**
   * False when its user has a link of that account at the provider by now; nothing was written then.
   *
   * @throws WeftError `key_taken`
   */
  async insert(scope: TenantScope, integration: IntegrationDocument, entry: AuditEntryInput): Promise<boolean> {
    if (integration.CompanyID !== scope.companyId) throw new TypeError('a link of another company cannot be made here');
    const write = this.mongo.transaction(async (session) => {
      await this.integrations().insertOne(integration, { session });
      await recordAudit(session, entry);
    });
    return unlessTaken(orKeyTaken(write, integration));
  }

  /**
   * False when it is not there. A refresh that is under way loses its lease with `fields` that have tokens.
   *
   * @param seen given: false, too, when it is used in another way than then
   * @throws WeftError `key_taken`
   */
  async update(
    scope: TenantScope,
    id: string,
    fields: Partial<Omit<IntegrationDocument, '_id' | 'CompanyID'>>,
    entry: AuditEntryInput,
    seen?: IntegrationDocument,
  ): Promise<boolean> {
    const asSeen = seen ? (linkUse(seen) as mongo.Filter<IntegrationDocument>) : {};
    const write = this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.integrations().updateOne(
        { ...asSeen, _id: id, CompanyID: scope.companyId },
        { $set: fields },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
    return orKeyTaken(write, fields);
  }

  /**
   * Together with the grants on it.
   *
   * @returns whom they were given to, to tell the bus; null when the link is not there
   */
  async remove(scope: TenantScope, id: string, entry: AuditEntryInput): Promise<readonly string[] | null> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.integrations().deleteOne(
        { _id: id, CompanyID: scope.companyId },
        { session },
      );
      if (deletedCount === 0) return null;
      await recordAudit(session, entry);
      return this.grants.removeOfResource(session, scope, 'integration', id, entry);
    });
  }

  private integrations(): mongo.Collection<IntegrationDocument> {
    return this.mongo.collection<IntegrationDocument>(INTEGRATIONS);
  }
}

async function orKeyTaken<T>(write: Promise<T>, { Key }: Pick<IntegrationDocument, 'Key'>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicateKey(error) || !error.message.includes(`index: ${LINK_KEY} `)) throw error;
    const message = `another integration link of the company has the key "${Key ?? ''}"`;
    throw new WeftError('key_taken', `${message[0]?.toUpperCase()}${message.slice(1)}.`, {
      errors: [{ path: 'key', code: 'key_taken', message }],
    });
  }
}
