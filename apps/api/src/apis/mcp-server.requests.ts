import { MCP_ERAS, type McpEra } from '@weft/layers';
import { ChoiceField, FlagField, NameField, TextField } from '../http/fields.js';
import { apiKey, apiName } from './api.requests.js';

/** Whoever may read the server sees its address. */
export const MCP_URL = /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/i;
export const MCP_URL_SAYS = 'must be an http or https address without user name, password and fragment';

const url = {
  description: 'Address of its Streamable HTTP endpoint. Left out: the endpoint of the integration.',
  min: 1,
  max: 2_000,
  pattern: MCP_URL,
  patternSays: `url ${MCP_URL_SAYS}`,
  optional: true,
  example: 'https://mcp.example.com/mcp',
} as const;
const integrationId = {
  description: 'Integration link whose credential is shown to the server, at the origin of its endpoint alone.',
  min: 1,
  max: 64,
  optional: true,
  nullable: true,
} as const;
const era = {
  description:
    'Which revisions of the protocol are tried: `2026`, `2025` (and earlier ones), or `auto`: both. Default: auto.',
  optional: true,
  of: MCP_ERAS,
} as const;

export class CreateMcpServerBody {
  @NameField({ ...apiName, example: 'Wiki' }) readonly name: string;
  @TextField({ ...apiKey, example: 'wiki' }) readonly key?: string | null;
  @TextField(url) readonly url?: string;
  @TextField(integrationId) readonly integrationId?: string | null;
  @ChoiceField(era) readonly era?: McpEra;
}

export class UpdateMcpServerBody {
  @NameField({ ...apiName, optional: true, example: 'Wiki' }) readonly name?: string;
  @TextField({ ...apiKey, example: 'wiki' }) readonly key?: string | null;
  @TextField(integrationId) readonly integrationId?: string | null;
  @ChoiceField(era) readonly era?: McpEra;
}

export class RefreshMcpServerBody {
  @FlagField({
    description: 'Only compare: the tools stay as they are. Default: false.',
    optional: true,
    example: true,
  })
  readonly dryRun?: boolean;

  @TextField({ ...url, description: 'Another address than before, from now on unless dryRun.' })
  readonly url?: string;
}

export class AuthorizeMcpServerBody {
  @TextField({
    description: 'A client that was registered at the authorization server by hand. Left out: that of Weft.',
    min: 1,
    max: 500,
    pattern: /^[\x20-\x7e]*$/,
    patternSays: 'client_id must be printable ASCII',
    optional: true,
    example: 'weft-at-the-wiki',
  })
  readonly client_id?: string;

  @TextField({ description: 'Its secret, if it has one; never shown again.', min: 1, max: 4_000, optional: true })
  readonly client_secret?: string;
}
