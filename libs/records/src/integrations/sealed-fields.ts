import type { mongo } from 'mongoose';
import { AUDIT_KEYS, type Mongo, type SystemScope } from '@weft/store';
import { OAUTH_LOGINS } from '../people/oauth-login.schema.js';
import { EXTERNAL_IDENTITIES } from '../people/external-identity.schema.js';
import { OAUTH_PROVIDERS } from './oauth-provider.schema.js';
import { TRIGGERS } from '../triggers/trigger.schema.js';
import { WEBHOOKS } from '../webhooks/webhook.schema.js';
import { INTEGRATIONS } from './integration.schema.js';

/** Where encrypted secrets are stored. Fields that are missing here are not rotated. */
export interface SealedCollection {
  readonly collection: string;
  readonly fields: readonly string[];
  /** The field with the company that a secret is bound to; null: the secrets are the installation's. */
  readonly companyField: string | null;
}

export const SEALED_COLLECTIONS: readonly SealedCollection[] = [
  { collection: OAUTH_PROVIDERS, fields: ['client_secret'], companyField: null },
  { collection: OAUTH_LOGINS, fields: ['code_verifier'], companyField: null },
  { collection: EXTERNAL_IDENTITIES, fields: ['AccessToken', 'RefreshToken'], companyField: null },
  { collection: INTEGRATIONS, fields: ['AccessToken', 'RefreshToken', 'ClientSecret'], companyField: 'CompanyID' },
  { collection: TRIGGERS, fields: ['secret'], companyField: 'company_id' },
  { collection: WEBHOOKS, fields: ['secret', 'previous_secret'], companyField: 'company_id' },
  { collection: AUDIT_KEYS, fields: ['key'], companyField: null },
];

/** One record's sealed texts; fields that are null or absent are left out. */
export interface SealedRecord {
  readonly id: string;
  readonly companyId: string | null;
  readonly sealed: Readonly<Record<string, string>>;
}

type Stored = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Reads and replaces sealed texts of any collection, for a rotation of their key. */
export class SealedFieldsRepository {
  constructor(private readonly mongo: Mongo) {}

  /** The records after an id, in order of their ids. */
  async page(
    _scope: SystemScope,
    { collection, fields, companyField }: SealedCollection,
    after: string,
    limit: number,
  ): Promise<SealedRecord[]> {
    const wanted = companyField === null ? fields : [...fields, companyField];
    const rows = await this.rows(collection)
      .find({ _id: { $gt: after } }, { projection: Object.fromEntries(wanted.map((name) => [name, 1])) })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return rows.map((row) => ({
      id: row._id,
      companyId: companyField === null ? null : String(row[companyField]),
      sealed: Object.fromEntries(
        fields.flatMap((field) => (typeof row[field] === 'string' ? [[field, row[field]] as const] : [])),
      ),
    }));
  }

  /** False when the text is not `before` any more: somebody stored another secret, under the present key. */
  async replace(
    _scope: SystemScope,
    { collection }: SealedCollection,
    id: string,
    field: string,
    texts: { readonly before: string; readonly after: string },
  ): Promise<boolean> {
    const { matchedCount } = await this.rows(collection).updateOne(
      { _id: id, [field]: texts.before },
      { $set: { [field]: texts.after } },
    );
    return matchedCount === 1;
  }

  private rows(collection: string): mongo.Collection<Stored> {
    return this.mongo.collection<Stored>(collection);
  }
}
