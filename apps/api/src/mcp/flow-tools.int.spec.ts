import type { Client } from '@modelcontextprotocol/client';
import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { FlowRepository } from '@weft/records';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { liveApi, type Person } from '../../../../test/api/live-api.js';
import { agentKey, connectAgent, useTool, type AgentOptions } from '../../../../test/api/mcp-agent.js';
import { storedFlow } from '../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
const open: Client[] = [];
afterAll(() => Promise.all(open.map((client) => client.close())));

async function agentOf(owner: Person, fields: object = {}, options: AgentOptions = {}): Promise<Client> {
  const client = await connectAgent(`http://127.0.0.1:${port}`, await agentKey(owner, fields), options);
  open.push(client);
  return client;
}

/** A flow that skips every run: its play has ended when it is accepted. */
function toolFlow(owner: Person, tool: string, fields: object = {}): Promise<string> {
  const settings = { mcp: { tool, description: `It is ${tool}.` } };
  return storedFlow(mongo, owner, {}, { settings, when: 'false', ...fields });
}

/** Those of the page, or of all pages. */
async function flowTools(client: Client, cursor?: string): Promise<string[]> {
  const { tools } = await client.listTools(cursor === undefined ? undefined : { cursor });
  return tools.filter(({ description = '' }) => description.startsWith('It is ')).map(({ name }) => name);
}

const flowOf = async (playId: unknown) =>
  (await mongo.collection<Play>(PLAYS).findOne({ _id: playId as string }))?.flowId;

describe('the arguments of a tool that is a flow', () => {
  it('are data, whatever its names are; those of a tool of Weft are not', async () => {
    const owner = await person('admin');
    await toolFlow(owner, 'check_schema');
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`f${i}`, i]));
    const args = { schema: { $ref: '#/$defs/order', $defs: { order: {} } }, many };
    for (const era of ['2026', '2025'] as const) {
      const client = await agentOf(owner, {}, { era });
      const { playId } = await useTool(client, 'check_schema', args);
      expect((await mongo.collection<Play>(PLAYS).findOne({ _id: playId as string }))?.args).toEqual(args);
      const refused = await useTool(client, 'list_flows', { q: { $ne: '' } }).catch((error: unknown) => error);
      expect(String(refused)).toContain('starts with');
    }
  });
});

describe('the name of a tool that is a flow', () => {
  it.each(['constructor', '__proto__', 'toString', 'run_flow'])('may be %s', async (tool) => {
    const owner = await person('admin');
    const id = await toolFlow(owner, tool);
    for (const era of ['2026', '2025'] as const) {
      const client = await agentOf(owner, {}, { era });
      expect(await flowTools(client)).toEqual([`${tool}_${id}`]);
      expect(await flowOf((await useTool(client, `${tool}_${id}`)).playId)).toBe(id);
      // what is not listed is not called; run_flow is the one of Weft
      const plain = await client.callTool({ name: tool, arguments: {} }).catch((error: unknown) => error);
      expect(JSON.stringify(plain)).not.toContain('playId');
    }
  });

  it('that is the one of another flow has its id', async () => {
    const owner = await person('admin');
    const [first, second] = [await toolFlow(owner, 'twice'), await toolFlow(owner, 'twice')];
    // and so has one that looks like it
    const third = await toolFlow(owner, `twice_${second}`);
    const client = await agentOf(owner);
    const names = { twice: first, [`twice_${second}`]: second, [`twice_${second}_${third}`]: third };
    expect(await flowTools(client)).toEqual(Object.keys(names));
    for (const [name, id] of Object.entries(names)) {
      expect([name, await flowOf((await useTool(client, name)).playId)]).toEqual([name, id]);
    }
  });

  it('is of the flow that the caller may run', async () => {
    const owner = await person('admin');
    const closed = await toolFlow(owner, 'ours', { restricted: true });
    const free = await toolFlow(owner, 'ours');
    const member = await person('flow_executor', owner.scope.companyId);
    const token = await agentKey(member, {}, owner);
    const limited = await connectAgent(`http://127.0.0.1:${port}`, token);
    open.push(limited);
    expect(await flowTools(limited)).toEqual(['ours']);
    expect(await flowOf((await useTool(limited, 'ours')).playId)).toBe(free);
    await expect(limited.callTool({ name: `ours_${closed}`, arguments: {} })).rejects.toThrow(/not found/);
  });
});

describe('more tools than a page has', () => {
  it('come in pages, each once, and each can be called', async () => {
    const owner = await person('admin');
    const ids: string[] = [];
    // two of one name are at the end of the first page and at the beginning of the second
    const nameOf = (n: number) => `t${String(n === 100 ? 99 : n).padStart(3, '0')}`;
    for (let n = 0; n < 103; n += 1) ids.push(await toolFlow(owner, nameOf(n)));
    const client = await agentOf(owner);
    const all = ids.map((id, n) => (n === 100 ? `${nameOf(n)}_${id}` : nameOf(n)));
    expect(await flowTools(client)).toEqual(all);
    const { nextCursor } = (await client.request({ method: 'tools/list', params: {} })) as { nextCursor?: string };
    expect(await flowTools(client, nextCursor)).toEqual(all.slice(100));
    expect(await flowOf((await useTool(client, all[100]!)).playId)).toBe(ids[100]);
    const limited = await agentOf(owner, { mcp: { flow_ids: [ids[102]] } });
    expect(await flowTools(limited)).toEqual([nameOf(102)]);
    await expect(limited.callTool({ name: nameOf(1), arguments: {} })).rejects.toThrow(/not found/);
  });

  it.each(['x', 'bnVsbA', Buffer.from('["a","b",1]').toString('base64url'), 'x'.repeat(2_000)])(
    'do not begin at what is no cursor: %.20s',
    async (cursor) => {
      const client = await agentOf(await person('admin'));
      await expect(client.listTools({ cursor })).rejects.toMatchObject({ code: -32602 });
    },
  );
});

describe('a message', () => {
  it('reads flows only to list tools, or to call one of them', async () => {
    const owner = await person('admin');
    await toolFlow(owner, 'mine');
    const client = await agentOf(owner);
    const reads = vi.spyOn(app.get(FlowRepository, { strict: false }), 'listTools');
    await useTool(client, 'list_modules');
    await client.ping().catch(() => undefined);
    expect(reads).not.toHaveBeenCalled();
    await useTool(client, 'mine');
    expect(reads).toHaveBeenCalledOnce();
    await client.listTools();
    expect(reads).toHaveBeenCalledTimes(2);
    vi.restoreAllMocks();
  });
});
