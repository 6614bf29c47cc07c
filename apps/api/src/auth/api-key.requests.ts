import { FlagField, IdListField, IntField, NameField, NestedField, TextField } from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';
import { PageQuery } from '../http/paging.js';
import { TextParam } from '../http/query-fields.js';

const MAX_ID = 64;
const MAX_SCOPES = 200;

class McpLimitsBody {
  @IdListField({ description: 'Only these flows, and no new ones.', max: 100, optional: true })
  readonly flow_ids?: readonly string[];

  @FlagField({ description: 'Only disabled flows are written, and none is enabled.', optional: true })
  readonly drafts_only?: boolean;

  @FlagField({
    description: 'It decides approvals, but not of plays that it may have started; by default it decides none.',
    optional: true,
  })
  readonly decide_approvals?: boolean;

  @IntField({ description: 'Plays that the key starts in a minute, at most.', min: 1, max: 10_000, optional: true })
  readonly plays_per_minute?: number;
}

export class CreateApiKeyBody {
  @NameField({ description: 'What the key is for.', example: 'Order intake' })
  readonly name: string;

  @TextField({ description: 'Whose rights the key has; by default your own.', min: 1, max: MAX_ID, optional: true })
  readonly user_id?: string;

  @TextField({ description: 'The company that the key acts in: yours.', min: 1, max: MAX_ID, optional: true })
  readonly company_id?: string;

  @TextField({
    description: 'Scopes with commas between them; by default api.',
    min: 1,
    max: MAX_SCOPES,
    example: 'api:read',
    optional: true,
  })
  readonly scope?: string;

  @TextField({
    description: 'When the key ends, a time in ISO 8601; by default in 24 hours, at most in a year.',
    max: 40,
    pattern: ISO_TIME,
    patternSays: 'expires_at must be a time in ISO 8601 with its zone',
    optional: true,
  })
  readonly expires_at?: string;

  @NestedField(McpLimitsBody, {
    description: 'Limits of a key with the scope mcp. Such a key cannot have the scope admin.',
    optional: true,
  })
  readonly mcp?: McpLimitsBody;
}

export class ListApiKeysQuery extends PageQuery {
  @TextParam('Only keys of this user.')
  readonly user_id?: string;
}
