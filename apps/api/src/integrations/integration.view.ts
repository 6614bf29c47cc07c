import type { IntegrationDocument } from '@weft/persistence';
import { flag, listOf, named, object, pageOf, text, textOrNull, time, timeOrNull } from '../http/schema.js';

/** docs/http-api.md §7, an integration link. Its tokens are in no answer. */
export interface IntegrationView {
  readonly id: string;
  readonly ID: string;
  readonly UserID: string;
  readonly CompanyID: string;
  readonly IntegrationType: string;
  readonly Name: string;
  readonly Endpoint: string | null;
  readonly TokenExpiry: string | null;
  readonly Scopes: readonly string[];
  readonly ProviderUserID: string | null;
  readonly ProviderUserEmail: string | null;
  readonly CreatedAt: string;
  readonly UpdatedAt: string;
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
    Endpoint: integration.Endpoint ?? null,
    TokenExpiry: integration.TokenExpiry?.toISOString() ?? null,
    Scopes: integration.Scopes,
    ProviderUserID: integration.ProviderUserID,
    ProviderUserEmail: integration.ProviderUserEmail,
    CreatedAt: integration.CreatedAt.toISOString(),
    UpdatedAt: integration.UpdatedAt.toISOString(),
  };
}

export const integrationSchema = named(
  'Integration',
  object<IntegrationView>({
    id: text,
    ID: text,
    UserID: text,
    CompanyID: text,
    IntegrationType: text,
    Name: text,
    Endpoint: textOrNull,
    TokenExpiry: timeOrNull,
    Scopes: listOf(text),
    ProviderUserID: textOrNull,
    ProviderUserEmail: textOrNull,
    CreatedAt: time,
    UpdatedAt: time,
  }),
);
export const integrationPageSchema = pageOf('Integration', integrationSchema);
export const integrationTestSchema = named('IntegrationTest', object<IntegrationTestView>({ ok: flag, detail: text }));
export const connectSchema = named(
  'IntegrationConnect',
  object<{ authorize_url: string }>({
    authorize_url: { type: 'string', description: 'Where to send the browser that asked.' },
  }),
);
