import type { McpLimits } from '@weft/access';
import type { ApiKeyDocument } from '@weft/records';
import { flag, integer, listOf, named, object, orNull, pageOf, text, time, timeOrNull } from '../http/schema.js';

interface ApiKeyFields {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
  readonly company_id: string;
  /** Scopes with commas between them. */
  readonly scope: string;
  readonly expires_at: string;
  readonly created_at: string;
  readonly mcp: McpLimits | null;
}

/** The one answer that has the token. */
export interface NewApiKeyView extends ApiKeyFields {
  readonly token: string;
}

export interface ApiKeyView extends ApiKeyFields {
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export function toNewApiKeyView(key: ApiKeyDocument, token: string): NewApiKeyView {
  return { ...fieldsOf(key), token };
}

export function toApiKeyView(key: ApiKeyDocument): ApiKeyView {
  return {
    ...fieldsOf(key),
    revoked_at: key.revoked_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
  };
}

function fieldsOf(key: ApiKeyDocument): ApiKeyFields {
  return {
    id: key._id,
    name: key.name,
    user_id: key.user_id,
    company_id: key.company_id,
    scope: key.scope.join(','),
    expires_at: key.expires_at.toISOString(),
    created_at: key.created_at.toISOString(),
    mcp: key.mcp ?? null,
  };
}

const fields = {
  id: text,
  name: text,
  user_id: text,
  company_id: text,
  scope: text,
  expires_at: time,
  created_at: time,
  mcp: orNull(
    object<Required<McpLimits>>(
      { flow_ids: listOf(text), drafts_only: flag, decide_approvals: flag, plays_per_minute: integer },
      ['flow_ids', 'drafts_only', 'decide_approvals', 'plays_per_minute'],
    ),
  ),
};

export const newApiKeySchema = named(
  'NewApiKey',
  object<NewApiKeyView>({ ...fields, token: { type: 'string', description: 'Shown this once.' } }),
);
export const apiKeySchema = named(
  'ApiKey',
  object<ApiKeyView>({ ...fields, revoked_at: timeOrNull, last_used_at: timeOrNull }),
);
export const apiKeyPageSchema = pageOf('ApiKey', apiKeySchema);
