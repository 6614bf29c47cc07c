import { MAX_QUEUE_NAME } from '@weft/engine';
import { MAX_RESOURCE_KEY, RESOURCE_KEY } from '../resource-key.js';
import { KV_KEY, MAX_KV_KEY } from '../../kv/kv.requests.js';
import type { Place } from './operations.js';

/**
 * The meaning of a path parameter, by the path segment before it and its own name: `flows/{id}`. Making the document fails
 * while one is missing.
 */
const IN_PATH: Readonly<Record<string, string>> = {
  'webhooks/{id}': 'Id of the webhook.',
  'deliveries/{delivery_id}': 'Id of the delivery, its `webhook-id`.',
  'replays/{replay_id}': 'Id of the replay.',
  'sessions/{id}': 'The session, by its `ID`.',
  'api-keys/{key_id}': 'The API key.',
  'flows/{id}': 'The flow.',
  'flows/{flowId}': 'The flow.',
  'by-key/{key}': 'The `key` of the flow.',
  'layers/{layerId}': 'The layer, by its `id` or its `ref`.',
  'layers/{ref}': 'The layer, by its `ref`.',
  'samples/{ref}': 'The `ref` of the layer that gives it.',
  'modules/{appId}': 'The module, for example `web-request`.',
  'versions/{version}': 'The number of the version.',
  'test-cases/{caseId}': 'The test case.',
  'plays/{id}': 'The play.',
  'payloads/{id}': 'The file: the last part of its `$ref`.',
  'bulk/{id}': 'The bulk operation.',
  'approvals/{ref}': 'The `ref` of the layer that waits.',
  'destinations/{id}': 'Host and port, such as `api.example.com:443`, percent-encoded.',
  'kv/{key}': 'The key of the entry, percent-encoded.',
  'lanes/{lane}': 'The lane, percent-encoded.',
  'users/{id}': 'The user.',
  'companies/{id}': 'The company.',
  'company-jobs/{id}': 'The export, import or erasure.',
  'groups/{id}': 'The group.',
  'members/{user_id}': 'The user.',
  'jobs/{name}': 'The name of the background job, for example `retention`.',
  'retention-policies/{id}': 'The retention policy.',
  'triggers/{tid}': 'The trigger.',
  'deliveries/{did}': 'The delivery.',
  'plays/{token}': 'The signed part of the address.',
  'hooks/{token}': 'The secret part of the address of the trigger.',
  'jobs/{id}': 'The schedule.',
  'identities/{id}': 'The tied account.',
  'oauth-providers/{id}': 'The identity provider.',
  'login/{provider}': 'The identity provider, by its id.',
  'integrations/{id}': 'The integration link.',
  'apis/{id}': 'The API, by its id or its key.',
  'operations/{name}': 'The name of the operation.',
  'mcp-servers/{id}': 'The MCP server, by its id or its key.',
  'tools/{name}': 'The name of the tool.',
  'grants/{id}': 'The grant.',
  'flow-groups/{id}': 'The flow group.',
};

/** The form of those whose values callers choose. */
const FORMS: Readonly<Record<string, object>> = {
  'by-key/{key}': { maxLength: MAX_RESOURCE_KEY, pattern: RESOURCE_KEY.source },
  'lanes/{lane}': { minLength: 1, maxLength: MAX_QUEUE_NAME },
  'kv/{key}': { minLength: 1, maxLength: MAX_KV_KEY, pattern: KV_KEY.source },
};

/** Choices are one text with commas; other texts may have commas of their own. */
function isOneText({ items }: NonNullable<Parameter['schema']>): boolean {
  return items?.enum !== undefined;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  description?: string;
  style?: string;
  explode?: boolean;
  schema?: { readonly type?: unknown; readonly items?: { readonly enum?: unknown } };
}

/** Describes each path parameter, and how lists are written: several choices are one text with commas. */
export function describeParameters({ path, operation }: Place): void {
  for (const parameter of (operation.parameters ?? []) as Parameter[]) {
    if (parameter.in === 'path') describeInPath(path, parameter);
    if (parameter.in === 'query' && parameter.schema?.type === 'array') {
      parameter.style = 'form';
      parameter.explode = !isOneText(parameter.schema);
    }
  }
}

function describeInPath(path: string, parameter: Parameter): void {
  const words = path.split('/');
  const place = `${words[words.indexOf(`{${parameter.name}}`) - 1]}/{${parameter.name}}`;
  const description = IN_PATH[place];
  if (description === undefined) throw new Error(`Say what ${place} is: openapi/parameters.ts`);
  parameter.description ??= description;
  const form = FORMS[place];
  if (form) parameter.schema = { ...parameter.schema, ...form };
}
