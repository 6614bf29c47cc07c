import type { LinkTest, RateLimit } from '@weft/shapes';
import { Schema } from 'mongoose';
import { tokenFields, type ClientFields, type TokenFields } from './token-fields.js';

export const INTEGRATIONS = 'integrations';
/** The index by which a key belongs to one link. */
export const LINK_KEY = 'link_key';

/** docs/http-api.md §7, integration links: credentials of another service that layers of the company's flows may use. */
export interface IntegrationDocument extends TokenFields, ClientFields {
  readonly _id: string;
  readonly CompanyID: string;
  /** Who made it. */
  readonly UserID: string;
  readonly IntegrationType: string;
  readonly Name: string;
  /** The users' own name for it, unique in the company; null or absent: none. */
  readonly Key?: string | null;
  /** Where the service is; null or absent: its type says it. */
  readonly Endpoint?: string | null;
  /** Null or absent: it is tested as its type and endpoint allow. */
  readonly Test?: LinkTest | null;
  /** How often layers may call with it; absent: as often as they do. */
  readonly RateLimit?: RateLimit | null;
  readonly ProviderUserID: string | null;
  readonly ProviderUserEmail: string | null;
  readonly CreatedAt: Date;
  readonly UpdatedAt: Date;
}

/** What decides where the tokens of a link are sent, as a query finds it: a field that is absent is null. */
export function linkUse({ Kind, Settings, Endpoint, Test }: IntegrationDocument) {
  return { Kind: Kind ?? null, Settings: Settings ?? null, Endpoint: Endpoint ?? null, Test: Test ?? null };
}

export const integrationSchema = new Schema<IntegrationDocument>(
  {
    _id: { type: String, required: true },
    CompanyID: { type: String, required: true },
    UserID: { type: String, required: true },
    IntegrationType: { type: String, required: true },
    Name: { type: String, required: true },
    Key: { type: String, default: null },
    Endpoint: { type: String, default: null },
    Test: { type: Schema.Types.Mixed, default: undefined } as never,
    RateLimit: { type: Schema.Types.Mixed, default: undefined } as never,
    ...tokenFields,
    Kind: { type: String, default: undefined } as never,
    Settings: { type: Schema.Types.Mixed, default: undefined } as never,
    ClientSecret: { type: String, default: undefined } as never,
    ProviderUserID: { type: String, default: null },
    ProviderUserEmail: { type: String, default: null },
    CreatedAt: { type: Date, required: true },
    UpdatedAt: { type: Date, required: true },
  },
  { collection: INTEGRATIONS, versionKey: false },
);

// The list of a company, newest first; one of them; those of one user's account at a provider.
integrationSchema.index({ CompanyID: 1, _id: -1 });
integrationSchema.index({ CompanyID: 1, UserID: 1, _id: -1 });
// One account at a provider is one link of its user: connecting again renews it.
integrationSchema.index(
  { CompanyID: 1, UserID: 1, ProviderID: 1, ProviderUserID: 1 },
  { unique: true, partialFilterExpression: { ProviderUserID: { $type: 'string' } } },
);
// The links with certain keys.
integrationSchema.index(
  { CompanyID: 1, Key: 1 },
  { unique: true, name: LINK_KEY, partialFilterExpression: { Key: { $type: 'string' } } },
);
// Tokens that are due for a refresh.
integrationSchema.index({ RefreshAt: 1 }, { partialFilterExpression: { RefreshAt: { $type: 'date' } } });
