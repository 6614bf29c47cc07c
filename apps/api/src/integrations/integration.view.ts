import type { IntegrationDocument } from '@weft/records';
import type { Warning } from '@weft/contracts';
import {
  LINK_KINDS,
  linkSettingsShape,
  linkTestShape,
  type LinkKind,
  type LinkSettings,
  type LinkTest,
  type RateLimit,
} from '@weft/shapes';
import { rateLimitSchema } from '../destinations/destination.view.js';
import {
  fieldsOf,
  flag,
  labels,
  listOf,
  named,
  object,
  oneOf,
  orNull,
  pageOf,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schema.js';

/** docs/http-api.md §7, an integration link. Its tokens are in no answer. */
export interface IntegrationView {
  readonly id: string;
  readonly ID: string;
  readonly UserID: string;
  readonly CompanyID: string;
  readonly IntegrationType: string;
  readonly Name: string;
  readonly Key: string | null;
  readonly Endpoint: string | null;
  readonly Kind: LinkKind;
  readonly Settings: LinkSettings;
  readonly Test: LinkTest | null;
  readonly TokenExpiry: string | null;
  readonly Scopes: readonly string[];
  readonly RateLimit: RateLimit | null;
  readonly ProviderUserID: string | null;
  readonly ProviderUserEmail: string | null;
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
  /** In the answer to a request that stores secrets, where something is doubtful about them. */
  readonly Warnings?: readonly Warning[];
}

export interface IntegrationTestView {
  readonly ok: boolean;
  /** What was looked at, and what came out. */
  readonly detail: string;
}

export function toIntegrationView(integration: IntegrationDocument): IntegrationView {
  return {
    id: integration._id,
    ID: integration._id,
    UserID: integration.UserID,
    CompanyID: integration.CompanyID,
    IntegrationType: integration.IntegrationType,
    Name: integration.Name,
    Key: integration.Key ?? null,
    Endpoint: integration.Endpoint ?? null,
    Kind: integration.Kind ?? 'bearer',
    Settings: integration.Settings ?? {},
    Test: integration.Test ?? null,
    TokenExpiry: toExpiry(integration),
    Scopes: integration.Scopes,
    RateLimit: integration.RateLimit ?? null,
    ProviderUserID: integration.ProviderUserID,
    ProviderUserEmail: integration.ProviderUserEmail,
    CreatedAt: integration.CreatedAt.toISOString(),
    UpdatedAt: integration.UpdatedAt.toISOString(),
  };
}

/** A link that has no token yet has none that ends. */
function toExpiry({ TokenExpiry: expiry }: IntegrationDocument): string | null {
  return expiry && expiry.getTime() > 0 ? expiry.toISOString() : null;
}

const HEADERS = { ...labels, description: 'Texts by header; `{{name}}` stands for a secret.' };
const settingsSchema = named(
  'IntegrationSettings',
  object<LinkSettings>(
    { ...fieldsOf(linkSettingsShape), headers: HEADERS },
    Object.keys(linkSettingsShape.shape) as (keyof LinkSettings)[],
  ),
);

export const integrationSchema = named(
  'Integration',
  object<Required<IntegrationView>>(
    {
      id: text,
      ID: text,
      UserID: text,
      CompanyID: text,
      IntegrationType: text,
      Name: text,
      Key: { ...textOrNull, description: "The users' own name for it, unique in the company." },
      Endpoint: textOrNull,
      Kind: oneOf(LINK_KINDS),
      Settings: settingsSchema,
      Test: orNull(object<LinkTest>(fieldsOf(linkTestShape))),
      TokenExpiry: timeOrNull,
      Scopes: listOf(text),
      RateLimit: orNull(rateLimitSchema),
      ProviderUserID: textOrNull,
      ProviderUserEmail: textOrNull,
      CreatedAt: time,
      UpdatedAt: time,
      Warnings: {
        ...listOf(object<Warning>({ path: text, code: text, message: text })),
        description: 'In the answer to a request that stores secrets, where something is doubtful about them.',
      },
    },
    ['Warnings'],
  ),
);
export const integrationPageSchema = pageOf('Integration', integrationSchema);
export const integrationTestSchema = named('IntegrationTest', object<IntegrationTestView>({ ok: flag, detail: text }));
export const connectSchema = named(
  'IntegrationConnect',
  object<{ authorize_url: string }>({
    authorize_url: { type: 'string', description: 'Where to send the browser that asked.' },
  }),
);
