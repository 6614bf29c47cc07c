import type { Client } from '@modelcontextprotocol/client';
import { AUDIT_LOGS, PLAYS, type AuditDocument } from '@weft/store';
import { API_KEYS, type ApiKeyDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import type { AddressInfo } from 'node:net';
import { ApiKeyTokens } from '@weft/identity';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { FlowsService } from '../flows/flows.service.js';
import { agentKey, connectAgent, useTool, type Content, type Era } from '../../../../test/api/mcp-agent.js';
import { parkedAt, resultAt, storedFlow, storedPlays } from '../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
const url = `http://127.0.0.1:${port}`;
const admin = await person('admin');
const editor = await person('flow_editor', admin.scope.companyId);
const play = storedPlays(mongo, editor);
const open: Client[] = [];
afterAll(() => Promise.all(open.map((client) => client.close())));

const keyOf = (owner: Person, fields: object = {}, by: Person = admin) => agentKey(owner, fields, by);

/** @param confirm what the user of the client says to a question; undefined: it cannot be asked */
async function connect(token: string, era: Era = '2026', confirm?: boolean): Promise<Client> {
  const client = await connectAgent(url, token, { era, confirm });
  open.push(client);
  return client;
}

const use = useTool;

const TOOLS = [
  ...['create_flow', 'decide_approval', 'delete_flow', 'diff_versions', 'dry_run', 'explain_play', 'get_flow'],
  ...['get_play', 'list_flows', 'list_modules', 'list_plays', 'retry_play', 'run_flow', 'try_layer', 'update_flow'],
  ...['validate_flow', 'wait_for_play'],
];
const BY_DEFAULT = TOOLS.filter((name) => name !== 'decide_approval');
const greet = { ref: 'greet', appId: 'text-template', args: { template: 'Hello {{ $prev.args.name }}' } };

describe.each<Era>(['2026', '2025'])('an agent with a client of %s', (era) => {
  it('lists tools with schemas and annotations, in the same order', async () => {
    const client = await connect(await keyOf(editor, { mcp: { decide_approvals: true } }), era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS);
    expect((await client.listTools()).tools).toEqual(tools);
    for (const tool of tools) {
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } });
      expect(tool.annotations?.readOnlyHint).toBeTypeOf('boolean');
    }
  });

  it('builds a flow: creates, checks, dry-runs, changes, compares', async () => {
    const client = await connect(await keyOf(editor), era);
    const made = await use(client, 'create_flow', { name: `agent ${era}`, layers: [greet] });
    expect(made).toMatchObject({ version: 1, enabled: false, layers: [{ ref: 'greet' }] });
    const flowId = made.id as string;
    expect(await use(client, 'validate_flow', { flowId })).toMatchObject({ valid: true, errors: [] });
    expect(await use(client, 'dry_run', { flowId, args: { name: 'Ada' } })).toMatchObject({
      state: 'DONE',
      layers: [{ out: { text: 'Hello Ada' } }],
    });
    const changed = { ...greet, args: { template: 'Bye {{ $prev.args.name }}' } };
    const layers = [changed, { ...greet, ref: 'more' }];
    expect(
      await use(client, 'update_flow', { flowId, version: 1, name: 'changed', layers, enabled: true }),
    ).toMatchObject({
      version: 2,
      enabled: true,
      name: 'changed',
      layers: [{ ref: 'greet', id: (made.layers as Content[])[0]?.id }, { ref: 'more' }],
    });
    expect(await use(client, 'update_flow', { flowId, version: 1, name: 'late' })).toMatchObject({
      ...{ failed: true, code: 'version_conflict', next: expect.stringContaining('get_flow') as string },
    });
    expect((await use(client, 'diff_versions', { flowId, from: 1 })).changes).toContainEqual({
      ...{
        path: 'layers.greet.args.template',
        before: 'Hello {{ $prev.args.name }}',
        after: 'Bye {{ $prev.args.name }}',
      },
    });
    expect((await use(client, 'list_flows', { q: 'changed' })).items).toMatchObject([{ id: flowId }]);
    const trail = await mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: flowId }).toArray();
    expect(trail.map(({ action_type }) => action_type).sort()).toEqual(['flow_created', 'flow_updated']);
    await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { name: 'done' } });
  });

  it('runs a flow: the wait ends, and the play is an ordinary one', async () => {
    const client = await connect(await keyOf(editor), era);
    const flowId = await storedFlow(mongo, editor, { greet: 'text-template' });
    const run = use(client, 'run_flow', {
      flowId,
      args: { name: 'Ada' },
      idempotencyKey: 'once',
      labels: { by: 'agent' },
    });
    const found = await (async () => {
      for (;;) {
        const [one] = (await use(client, 'list_plays', { flowId })).items as Content[];
        if (one) return one;
      }
    })();
    expect(found).toMatchObject({ trigger: 'mcp', triggeredBy: editor.userId, idempotencyKey: 'once' });
    const end = { state: 'DONE', completedAt: new Date(), layers: [resultAt(0, 'greet')], cursor: 1 } as const;
    await mongo.collection<Play>(PLAYS).updateOne({ _id: found.id as string }, { $set: end, $inc: { seq: 1 } });
    expect(await run).toMatchObject({ playId: found.id, state: 'DONE', out: { text: 'greet' }, error: null });
    expect(await use(client, 'wait_for_play', { playId: found.id })).toMatchObject({ state: 'DONE' });
    expect(await use(client, 'get_play', { playId: found.id })).toMatchObject({
      ...{ args: { name: 'Ada' }, layers: [{ ref: 'greet', state: 'DONE' }] },
    });
  });

  it.each([5_000, 20_000, 400_000])('is shown where args of %i characters are read', async (chars) => {
    const flowId = await storedFlow(mongo, editor, {}, { when: 'false' });
    const args = { text: 'x'.repeat(chars) };
    const { body } = await editor.send('POST', `/api/v1/flows/${flowId}/run`, { body: { args } });
    const client = await connect(await keyOf(editor), era);
    const playId = textOf(body.playId);
    const got = await use(client, 'get_play', { playId });
    const place = { $ref: `/api/v1/plays/${playId}`, bytes: JSON.stringify(args).length };
    expect([got.args, JSON.stringify(got).length < 2_000]).toEqual([place, true]);
    expect((await editor.send('GET', place.$ref)).body.args).toEqual(args);
  });

  it('is told what has happened since, and how to decide', async () => {
    const flowId = await storedFlow(mongo, editor, { ask: 'approval' });
    const wait = { position: 0, ref: 'ask', kind: 'approval', approval: { message: 'ok?', approvers: [] } } as const;
    const { _id: playId, seq } = await play(flowId, parkedAt(wait as never));
    const mcp = { decide_approvals: true };
    const client = await connect(await keyOf(editor, { mcp }), era);
    expect(await use(client, 'wait_for_play', { playId, since: seq - 1 })).toMatchObject({ state: 'WAIT', seq });
    expect(await use(client, 'explain_play', { playId })).toMatchObject({
      ...{ state: 'WAIT', waiting: { reason: 'approval', ref: 'ask' } },
      suggestion: expect.stringContaining('decide_approval') as string,
    });
    const viewer = await connect(await keyOf(await person('viewer', admin.scope.companyId), { mcp }), era);
    const decide = { playId, ref: 'ask', decision: 'approve', comment: 'fine' };
    expect(await use(viewer, 'decide_approval', decide)).toMatchObject({ failed: true, code: 'denied' });
    expect(await use(client, 'decide_approval', decide)).toMatchObject({ id: playId });
    const trail = await mongo.collection<AuditDocument>(AUDIT_LOGS).find({ resource_id: playId }).toArray();
    expect(trail).toMatchObject([{ action_type: 'approval_decided', UserID: editor.userId }]);
  });

  it('understands a failed play, and retries it', async () => {
    const flowId = await storedFlow(mongo, editor, { fetch: 'web-request' });
    const error = { code: 'bad_status', message: 'a answered 500' };
    const failed = resultAt(0, 'fetch', { state: 'FAIL', out: null, error });
    const { _id: playId } = await play(flowId, {
      ...{ state: 'FAIL', completedAt: new Date(0), layers: [failed], error: { ...error, ref: 'fetch' }, cursor: 1 },
    });
    const client = await connect(await keyOf(editor), era);
    const told = await use(client, 'explain_play', { playId });
    expect(told).toMatchObject({
      failed: { ref: 'fetch' },
      suggestion: expect.stringContaining('retry_play') as string,
    });
    expect(told.sentence).toContain('a answered 500');
    expect(await use(client, 'retry_play', { playId })).toMatchObject({ retryOf: playId });
  });

  it('makes no flow for a user who may not', async () => {
    const client = await connect(await keyOf(await person('flow_executor', admin.scope.companyId)), era);
    expect(await use(client, 'create_flow', { name: 'x' })).toMatchObject({ failed: true, code: 'denied' });
  });

  it('is given errors that it can mend', async () => {
    const client = await connect(await keyOf(editor), era);
    const wrong = await use(client, 'create_flow', { name: 'x', layers: [{ ref: 'a', appId: 'nothing' }] });
    expect(wrong).toMatchObject({
      failed: true,
      code: 'unknown_app',
      errors: [{ path: 'layers.0.appId' }],
    });
    expect(wrong.next).toContain('list_modules');
    const bad = await client.callTool({ name: 'get_flow', arguments: { id: 'x' } });
    expect(bad.isError).toBe(true);
    expect(await use(client, 'get_flow', { flowId: 'nobody' })).toMatchObject({ failed: true, code: 'not_found' });
  });

  it('has each marked flow that it may run as a tool', async () => {
    const argsSchema = { type: 'object', properties: { name: { type: 'string', pattern: '(a+)+$' } } };
    const mcp = { tool: `greet_${era}`, description: 'Greets somebody.', argsSchema };
    const fields = { settings: { mcp }, restricted: true };
    const ids = [await storedFlow(mongo, editor, {}, fields), await storedFlow(mongo, editor, {}, fields)];
    const client = await connect(await keyOf(editor), era);
    const { tools } = await client.listTools();
    const mine = tools.filter(({ name }) => name.startsWith(mcp.tool));
    expect(mine.map(({ name }) => name)).toEqual([mcp.tool, `${mcp.tool}_${[...ids].sort()[1]}`]);
    expect(mine[0]).toMatchObject({ inputSchema: argsSchema, description: expect.stringMatching(/^Greets/) as string });
    const other = await connect(await keyOf(await person('flow_executor', admin.scope.companyId)), era);
    expect((await other.listTools()).tools.some(({ name }) => name.startsWith(mcp.tool))).toBe(false);
    const answer = client.callTool({ name: mcp.tool, arguments: { name: `${'a'.repeat(40)}!` } });
    await expect.poll(async () => mongo.collection<Play>(PLAYS).countDocuments({ flowId: { $in: ids } })).toBe(1);
    const end = { state: 'DONE', completedAt: new Date(), layers: [] } as const;
    await mongo.collection<Play>(PLAYS).updateOne({ flowId: { $in: ids } }, { $set: end });
    expect((await answer).structuredContent).toMatchObject({ state: 'DONE' });
    await mongo.collection('flows').updateMany({ _id: { $in: ids as never[] } }, { $set: { enabled: false } });
    const later = await connect(await keyOf(editor), era);
    expect((await later.listTools()).tools.some(({ name }) => name === mcp.tool)).toBe(false);
  });
});

describe('flows with schemas that are none', () => {
  it.each<object>([
    { properties: 'x', required: 5, type: 'string' },
    { $schema: 'https://example.com/no-dialect', $ref: '#/nowhere', properties: { a: 'x' } },
    { properties: { a: { type: 'string', 'x-mcp-header': 5, pattern: '(' } }, 'x-mcp-header': 'b' },
  ])('keep no tool from anybody: %j', async (argsSchema) => {
    const mcp = { tool: 'odd', description: 'x', argsSchema };
    const owner = await person('admin');
    await storedFlow(mongo, owner, {}, { settings: { mcp } });
    const token = await keyOf(owner, {}, owner);
    for (const era of ['2026', '2025'] as const) {
      const { tools } = await (await connect(token, era)).listTools();
      expect(
        tools
          .map(({ name }) => name)
          .filter((name) => name !== 'odd')
          .sort(),
      ).toEqual(BY_DEFAULT);
    }
  });
});

describe('deleting a flow', () => {
  it('asks the user first, by the means of the revision', async () => {
    const read = async (id: string) => (await admin.send('GET', `/api/v1/flows/${id}`)).status;
    const flowId = await storedFlow(mongo, admin);
    const args = { flowId, version: 1 };
    const token = await keyOf(admin);
    const mute = await connect(token);
    await expect(mute.callTool({ name: 'delete_flow', arguments: args })).rejects.toMatchObject({ code: -32021 });
    expect(await use(await connect(token, '2025', true), 'delete_flow', args)).toMatchObject({
      ...{ failed: true, code: 'denied', detail: expect.stringContaining('cannot be asked') as string },
    });
    expect(await use(await connect(token, '2026', false), 'delete_flow', args)).toEqual({ id: flowId, deleted: false });
    expect(await read(flowId)).toBe(200);
    expect(await use(await connect(token, '2026', true), 'delete_flow', args)).toEqual({ id: flowId, deleted: true });
    expect(await read(flowId)).toBe(404);
  });

  it('is for who may delete it', async () => {
    const flowId = await storedFlow(mongo, admin);
    const client = await connect(await keyOf(editor), '2026', true);
    expect(await use(client, 'delete_flow', { flowId, version: 1 })).toMatchObject({ failed: true, code: 'denied' });
  });
});

describe('running and trying a flow', () => {
  it('says so when nothing was run, because the key has a play with other args', async () => {
    const flowId = await storedFlow(mongo, editor);
    const body = { args: { order: 1 }, idempotencyKey: 'the same' };
    const first = await editor.send('POST', `/api/v1/flows/${flowId}/run`, { body });
    const client = await connect(await keyOf(editor));
    expect(await use(client, 'run_flow', { flowId, ...body, args: { order: 2 } })).toMatchObject({
      ...{ failed: true, code: 'idempotency_mismatch', playId: first.body.playId },
      next: expect.stringContaining('Nothing was run') as string,
    });
  });

  it('refuses fixtures of layers that the flow does not have', async () => {
    const flowId = await storedFlow(mongo, editor);
    const client = await connect(await keyOf(editor));
    expect(await use(client, 'dry_run', { flowId, fixtures: { nowhere: {} } })).toMatchObject({
      ...{ failed: true, code: 'unresolved_refs' },
    });
  });
});

describe('the limits of a key', () => {
  it('are certain flows', async () => {
    const [mine, other] = [await storedFlow(mongo, editor), await storedFlow(mongo, editor)];
    const { _id: playId } = await play(other);
    const client = await connect(await keyOf(editor, { mcp: { flow_ids: [mine] } }));
    expect((await use(client, 'list_flows')).items).toMatchObject([{ id: mine }]);
    expect(await use(client, 'get_flow', { flowId: mine })).toMatchObject({ id: mine });
    const denied = { failed: true, code: 'denied' };
    for (const [name, args] of [
      ...(['get_flow', 'validate_flow', 'dry_run', 'run_flow'] as const).map(
        (tool) => [tool, { flowId: other }] as const,
      ),
      ...(['get_play', 'explain_play', 'wait_for_play', 'retry_play'] as const).map(
        (tool) => [tool, { playId }] as const,
      ),
      ...[['try_layer', { flowId: other, layer: { ref: 'greet' } }] as const],
      ...[['update_flow', { flowId: other, version: 1, name: 'x' }] as const],
      ...[['delete_flow', { flowId: other, version: 1 }] as const],
      ...[['diff_versions', { flowId: other, from: 1 }] as const],
      ...[['list_plays', { flowId: other }] as const],
      ...[['decide_approval', { playId, ref: 'a', decision: 'approve' }] as const],
      ...[['create_flow', { name: 'x' }] as const],
    ]) {
      expect([name, await use(client, name, args)]).toMatchObject([name, denied]);
    }
    expect(await use(client, 'list_plays')).toMatchObject({
      failed: true,
      detail: expect.stringContaining(mine) as string,
    });
  });

  it('are certain flows also for what is written into one of them, by whomever', async () => {
    for (const by of [editor, admin]) {
      const [mine, second, other] = [
        await storedFlow(mongo, by),
        await storedFlow(mongo, by),
        await storedFlow(mongo, by),
      ];
      const client = await connect(await keyOf(by, { mcp: { flow_ids: [mine, second] } }));
      const running = (flowId: string) => [{ ref: 'sub', appId: 'run-flow', args: { flowId } }];
      const write = (fields: object, version = 1) => use(client, 'update_flow', { flowId: mine, version, ...fields });
      for (const fields of [
        { layers: running(other) },
        { layers: running('{{ $prev.args.flow }}') },
        { settings: { onFailure: other } },
      ]) {
        expect(await write(fields)).toMatchObject({ failed: true, code: 'denied' });
      }
      expect(await write({ layers: running(second) })).toMatchObject({ version: 2 });
      // what a person has written stays
      await by.send('PATCH', `/api/v1/flows/${mine}`, { body: { layers: running(other) } });
      expect(
        await write({ layers: [...running(other), { ref: 'x', appId: 'text-template', args: { template: 'x' } }] }, 3),
      ).toMatchObject({ version: 4 });
    }
  });

  it('are drafts', async () => {
    const flowId = await storedFlow(mongo, editor, {}, { enabled: false });
    const client = await connect(await keyOf(editor, { mcp: { drafts_only: true } }));
    expect(await use(client, 'update_flow', { flowId, version: 1, name: 'y' })).toMatchObject({ version: 2 });
    const denied = { failed: true, code: 'denied' };
    expect(await use(client, 'update_flow', { flowId, version: 2, enabled: true })).toMatchObject(denied);
    // nobody has looked at what it would call
    expect(await use(client, 'try_layer', { flowId, layer: greet })).toMatchObject(denied);
    await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { enabled: true } });
    expect(await use(client, 'update_flow', { flowId, version: 3, name: 'z' })).toMatchObject(denied);
  });

  it('are drafts also when somebody enables the flow between the judgement and the write', async () => {
    const flowId = await storedFlow(mongo, editor, {}, { enabled: false });
    const client = await connect(await keyOf(editor, { mcp: { drafts_only: true } }), '2026', true);
    const flows = app.get(FlowsService, { strict: false });
    const enableAfterRead = () => {
      const read = flows.read.bind(flows);
      vi.spyOn(flows, 'read').mockImplementationOnce(async (...args) => {
        const flow = await read(...args);
        await editor.send('PATCH', `/api/v1/flows/${flowId}`, { body: { enabled: true } });
        return flow;
      });
    };
    // the version that it will have by then, and the one that it has
    for (const version of [2, 1]) {
      enableAfterRead();
      expect(await use(client, 'update_flow', { flowId, version, name: 'by the agent' })).toMatchObject({
        ...{ failed: true, code: 'version_conflict' },
      });
      vi.restoreAllMocks();
    }
    expect(await use(client, 'delete_flow', { flowId, version: 1 })).toMatchObject({ code: 'version_conflict' });
    expect((await editor.send('GET', `/api/v1/flows/${flowId}`)).body).toMatchObject({ name: 'flow', enabled: true });
  });

  it('are plays in a minute', async () => {
    const flowId = await storedFlow(mongo, editor, {}, { when: 'false' });
    const client = await connect(await keyOf(editor, { mcp: { plays_per_minute: 2 } }));
    const run = () => use(client, 'run_flow', { flowId });
    expect([await run(), await run()]).toMatchObject([{ state: 'SKIP' }, { state: 'SKIP' }]);
    expect(await run()).toMatchObject({
      failed: true,
      code: 'too_many_plays',
      retryAfterSeconds: expect.any(Number) as number,
    });
  });

  it('are shown with the key, and not passed by making another, or a user', async () => {
    const limits = { plays_per_minute: 5 };
    const asked = { name: 'x', scope: 'mcp,admin', mcp: limits };
    const made = await admin.send('POST', '/api/v1/admin/api-keys', { body: asked });
    expect(made).toMatchObject({ status: 400, body: { code: 'invalid_body', errors: [{ path: 'scope' }] } });
    // as if the rule above had been passed by
    const { body: key } = await admin.send('POST', '/api/v1/admin/api-keys', { body: { ...asked, scope: 'mcp' } });
    const scope = ['mcp', 'admin'] as const;
    await mongo.collection<ApiKeyDocument>(API_KEYS).updateOne({ _id: textOf(key.id) }, { $set: { scope } });
    const [iat, exp] = [key.created_at, key.expires_at].map((at) => Math.floor(Date.parse(textOf(at)) / 1000));
    const of = { sub: admin.userId, company_id: admin.scope.companyId, key_id: textOf(key.id), scope };
    const token = app.get(ApiKeyTokens, { strict: false }).sign({ ...of, iat: iat ?? 0, exp: exp ?? 0 });
    const headers = { authorization: `Bearer ${token}`, cookie: '' };
    expect((await admin.send('GET', '/api/v1/users', { headers })).body.code).toBe('insufficient_scope');
    const { body } = await admin.send('GET', '/api/v1/admin/api-keys');
    expect((body.items as unknown as Content[])[0]?.mcp).toEqual(limits);
  });

  it('are approvals: none unless the key says so, whatever else its scopes open, and none of its own plays', async () => {
    const flowId = await storedFlow(mongo, editor, { ask: 'approval' });
    const wait = { position: 0, ref: 'ask', kind: 'approval', approval: { message: 'ok?', approvers: [] } } as const;
    const asks = (fields: Partial<Play> = {}) => play(flowId, { ...parkedAt(wait as never), ...fields });
    const { _id: playId } = await asks();
    const decide = { playId, ref: 'ask', decision: 'approve' };
    const denied = { failed: true, code: 'denied' };
    const without = await connect(await keyOf(editor, { mcp: { drafts_only: true } }));
    expect((await without.listTools()).tools.map(({ name }) => name)).not.toContain('decide_approval');
    expect(await use(without, 'decide_approval', decide)).toMatchObject(denied);
    const headers = { authorization: `Bearer ${await keyOf(admin, { scope: 'mcp,api' })}`, cookie: '' };
    const path = `/api/v1/plays/${playId}/approvals`;
    const listed = await admin.send('GET', path, { headers });
    expect(listed.body).toMatchObject({ items: [{ mayDecide: false, approveUrl: null }] });
    const body = { decision: 'approve' };
    expect((await admin.send('POST', `${path}/ask`, { body, headers })).body.code).toBe('denied');
    const client = await connect(await keyOf(editor, { mcp: { decide_approvals: true } }));
    for (const trigger of ['mcp', 'retry', 'flow'] as const) {
      const own = await asks({ trigger });
      expect(await use(client, 'decide_approval', { ...decide, playId: own._id })).toMatchObject(denied);
    }
    expect(await use(client, 'decide_approval', decide)).toMatchObject({ id: playId });
  });
});

describe('another company', () => {
  it('sees and changes nothing with any key', async () => {
    const flowId = await storedFlow(mongo, editor, {}, { settings: { mcp: { tool: 'ours', description: 'x' } } });
    const { _id: playId } = await play(flowId);
    const stranger = await person('admin');
    const client = await connect(await keyOf(stranger, {}, stranger), '2026', true);
    const gone = { failed: true, code: 'not_found' };
    for (const [name, args] of [
      ...(['get_flow', 'validate_flow', 'dry_run', 'run_flow'] as const).map((tool) => [tool, { flowId }] as const),
      ['try_layer', { flowId, layer: { ref: 'greet' } }] as const,
      ...(['get_play', 'explain_play', 'wait_for_play', 'retry_play'] as const).map(
        (tool) => [tool, { playId }] as const,
      ),
      ...[['update_flow', { flowId, version: 1, name: 'x' }] as const],
      ...[['update_flow', { flowId, version: 1, layers: [] }] as const],
      ...[['delete_flow', { flowId, version: 1 }] as const],
      ...[['diff_versions', { flowId, from: 1 }] as const],
      ...[['list_plays', { flowId }] as const],
      ...[['decide_approval', { playId, ref: 'a', decision: 'approve' }] as const],
    ]) {
      expect([name, await use(client, name, args)]).toMatchObject([name, gone]);
    }
    for (const name of ['ours', `ours_${flowId}`]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    }
    expect((await use(client, 'list_flows')).items).toEqual([]);
    expect((await use(client, 'list_plays')).items).toEqual([]);
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(BY_DEFAULT);
  });
});
