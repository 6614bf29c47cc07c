import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitResult,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { textOf, type Person } from './live-api.js';

export type Era = '2026' | '2025';
export type Content = Readonly<Record<string, unknown>>;

export const MODES: Readonly<Record<Era, VersionNegotiationOptions>> = {
  2026: { mode: { pin: '2026-07-28' } },
  2025: { mode: 'legacy' },
};

export interface AgentOptions {
  readonly era?: Era;
  /** What its user says to a question; undefined: the client cannot ask. */
  readonly confirm?: boolean;
}

/** The SDK's own client, connected to `/mcp` of this API. The caller closes it. */
export async function connectAgent(api: string, token: string, { era = '2026', confirm }: AgentOptions = {}) {
  const capabilities = confirm === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'spec', version: '1' }, { capabilities, versionNegotiation: MODES[era] });
  if (confirm !== undefined) {
    client.setRequestHandler('elicitation/create', (): ElicitResult => ({ action: 'accept', content: { confirm } }));
  }
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', api), { requestInit }));
  return client;
}

/** What the tool gave; with `failed` when it is a refusal. */
export async function useTool(client: Client, name: string, args: object = {}, signal?: AbortSignal): Promise<Content> {
  const result = await client.callTool({ name, arguments: args as Record<string, unknown> }, { signal });
  const [first] = result.content as { text: string }[];
  const said = JSON.parse(first?.text ?? '') as Content;
  if (result.isError) return { failed: true, ...said };
  if (JSON.stringify(result.structuredContent) !== JSON.stringify(said)) throw new Error('the text differs');
  return said;
}

/** The token of a new API key that acts as its owner. */
export async function agentKey(owner: Person, fields: object = {}, by: Person = owner): Promise<string> {
  const body = { name: 'agent', scope: 'mcp', user_id: owner.userId, ...fields };
  const made = await by.send('POST', '/api/v1/admin/api-keys', { body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return textOf(made.body.token);
}
