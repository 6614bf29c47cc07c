import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAjv, faultsOf } from '../../../../test/api/json-schema.js';
import { liveApi, textOf, type Json, type Person } from '../../../../test/api/live-api.js';
import { storedFlow } from '../../../../test/api/stored-play.js';

const { app, mongo, person } = await liveApi();
const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
const admin = await person('admin');

async function keyOf(scope: string, by: Person = admin): Promise<string> {
  return textOf((await by.send('POST', '/api/v1/admin/api-keys', { body: { name: 'agent', scope } })).body.token);
}

const token = await keyOf('mcp');

interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Answer extends Omit<RawAnswer, 'text'> {
  readonly body: Json;
}

async function send(body: unknown, headers: OutgoingHttpHeaders = {}, method = 'POST', path = '/mcp'): Promise<Answer> {
  const { text, ...answer } = await sendRaw(body, headers, method, path);
  return { ...answer, body: read(text) };
}

/** As it is on the wire: fetch would not let a test say `Host` or `Origin`. */
function sendRaw(body: unknown, headers: OutgoingHttpHeaders, method = 'POST', path = '/mcp'): Promise<RawAnswer> {
  const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, method, path, headers: kept }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/** JSON, or the last message of a stream. */
function read(text: string): Json {
  const json = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice(6);
  return (json === undefined ? text : JSON.parse(json)) as Json;
}

const VERSION = '2026-07-28';
const KEY = 'io.modelcontextprotocol/';

function message(method: string, params: object = {}, capabilities: object = {}): object {
  const _meta = {
    [`${KEY}protocolVersion`]: VERSION,
    [`${KEY}clientInfo`]: { name: 'spec', version: '1' },
    [`${KEY}clientCapabilities`]: capabilities,
  };
  return { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } };
}

function headersFor(method: string, name?: string): OutgoingHttpHeaders {
  return {
    ...{ authorization: `Bearer ${token}`, 'mcp-protocol-version': VERSION, 'mcp-method': method },
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

const ask = (method: string, params: object = {}, headers: OutgoingHttpHeaders = {}) =>
  send(message(method, params), { ...headersFor(method), ...headers });
const call = (name: string, args: object = {}, headers: OutgoingHttpHeaders = {}) =>
  send(message('tools/call', { name, arguments: args }), { ...headersFor('tools/call', name), ...headers });

describe('who may send to /mcp', () => {
  it('is told by 401 where the metadata are, without a token and with a wrong one', async () => {
    const nobody = await ask('tools/list', {}, { authorization: undefined });
    expect([nobody.status, nobody.body.code]).toEqual([401, 'unauthenticated']);
    expect(nobody.headers['www-authenticate']).toMatch(/^Bearer .*scope="mcp", resource_metadata="http[^"]+\/mcp"$/);
    expect(nobody.headers['www-authenticate']).not.toContain('error=');
    const wrong = await ask('tools/list', {}, { authorization: 'Bearer x' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  it('is told by 403 which scope is missing', async () => {
    const other = await ask('tools/list', {}, { authorization: `Bearer ${await keyOf('api')}` });
    expect([other.status, other.body.code]).toEqual([403, 'insufficient_scope']);
    expect(other.headers['www-authenticate']).toMatch(/error="insufficient_scope", scope="mcp", resource_metadata=/);
  });

  it('opens nothing else with the scope mcp', async () => {
    const other = await send(undefined, { authorization: `Bearer ${token}` }, 'GET', '/api/v1/flows');
    expect([other.status, other.body.code]).toEqual([403, 'insufficient_scope']);
  });

  it('finds the metadata of the resource without a token', async () => {
    const { status, body } = await send(undefined, {}, 'GET', '/.well-known/oauth-protected-resource/mcp');
    expect(status).toBe(200);
    expect(body).toMatchObject({ scopes_supported: ['mcp'], bearer_methods_supported: ['header'] });
    expect(new URL(textOf(body.resource)).pathname).toBe('/mcp');
  });

  it('is no page of another site, whatever credential it has', async () => {
    for (const authorization of [`Bearer ${token}`, undefined]) {
      const foreign = await ask('tools/list', {}, { authorization, origin: 'https://evil.example' });
      expect([foreign.status, foreign.body.code]).toEqual([403, 'cross_site']);
      const rebound = await ask('tools/list', {}, { authorization, host: 'evil.example' });
      expect([rebound.status, rebound.body.code]).toEqual([403, 'cross_site']);
    }
  });

  it.each(['u:p@localhost', '@localhost', 'localhost/x', 'localhost?x', 'a b', '[::1', 'localhost:99999'])(
    'is refused with the Host %j',
    async (host) => {
      const { status, body } = await ask('tools/list', {}, { host });
      expect(['400 ', '403 cross_site']).toContain(`${status} ${status === 403 ? textOf(body.code) : ''}`);
    },
  );

  it.each(['localhost', 'localhost:1', '127.0.0.1:80', '[::1]:3000'])('may use the Host %s', async (host) => {
    expect((await ask('tools/list', {}, { host })).status).toBe(200);
  });

  it('takes no credential from the address', async () => {
    const { status } = await send(
      message('tools/list'),
      { ...headersFor('tools/list'), authorization: undefined },
      'POST',
      `/mcp?access_token=${token}`,
    );
    expect(status).toBe(401);
  });
});

describe('the transport', () => {
  it('takes POST only', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(undefined, headersFor('x'), method);
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST']);
    }
  });

  it('refuses what is no JSON, or no message', async () => {
    expect((await send('x', { ...headersFor('x'), 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('{', headersFor('x'))).status).toBe(400);
    expect((await send({}, headersFor('x'))).status).toBe(400);
    expect((await send({ jsonrpc: '1.0', id: 1, method: 'tools/list' }, headersFor('tools/list'))).status).toBe(400);
  });

  it('refuses a message that is too large, whatever its length says', async () => {
    const large = { ...message('tools/list'), more: 'x'.repeat(16 * 1024 * 1024) };
    // the connection is closed before all of it is read
    const { status } = await send(large, headersFor('tools/list')).catch(() => ({ status: 413 }));
    expect(status).toBe(413);
    expect((await ask('tools/list')).status).toBe(200);
  });

  it('refuses a request without the fields of the revision', async () => {
    for (const name of ['protocolVersion', 'clientCapabilities']) {
      const asked = message('tools/list') as { params: { _meta: Record<string, unknown> } };
      delete asked.params._meta[`${KEY}${name}`];
      const { status, body } = await send(asked, headersFor('tools/list'));
      expect([name, status, body.error?.code, body.id]).toEqual([name, 400, -32602, 7]);
    }
  });

  it('takes no answers: a server asks nothing by requests of its own', async () => {
    const { status } = await send({ jsonrpc: '2.0', id: 7, result: {} }, headersFor('tools/list'));
    expect(status).toBe(400);
  });

  it('takes one message in a request', async () => {
    const { status, body } = await send([message('tools/list'), message('tools/list')], headersFor('tools/list'));
    expect([status, body.code]).toEqual([400, 'invalid_body']);
  });

  it('answers a request with its id, a complete result, and no session', async () => {
    const { status, headers, body } = await ask('tools/list');
    expect([status, headers['mcp-session-id']]).toEqual([200, undefined]);
    expect(headers['content-type']).toMatch(/^(application\/json|text\/event-stream)/);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, result: { resultType: 'complete' } });
  });

  it('answers a notification with 202 and nothing', async () => {
    const { id: _id, ...note } = message('notifications/cancelled', { requestId: 1 }) as { id: number };
    const { status, body } = await send(note, headersFor('notifications/cancelled'));
    expect([status, body]).toEqual([202, '']);
  });

  it('refuses a notification by its status when it cannot take it', async () => {
    const { id: _id, ...note } = message('notifications/cancelled', { requestId: 1 }) as { id: number };
    const { status } = await send(note, { ...headersFor('tools/list') });
    expect(status).toBe(400);
  });

  it('acknowledges a subscription first, names it, and ends it: nothing is published', async () => {
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['file:///x'] };
    const asked = message('subscriptions/listen', { notifications });
    const { status, headers, text } = await sendRaw(asked, headersFor('subscriptions/listen'));
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
    const messages = text.split('\n').filter((line) => line.startsWith('data: '));
    const [first, last, ...more] = messages.map((line) => JSON.parse(line.slice(6)) as Json);
    const _meta = { [`${KEY}subscriptionId`]: 7 };
    expect(first).toMatchObject({
      ...{ method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, _meta } },
    });
    expect(last).toMatchObject({ id: 7, result: { resultType: 'complete', _meta } });
    expect(more).toEqual([]);
  });

  it('answers 404 and -32601 to a method that it does not know', async () => {
    for (const method of ['tools/unknown', 'resources/list', 'prompts/list', 'initialize', 'logging/setLevel']) {
      const { status, body } = await ask(method);
      expect([method, status, body.error?.code]).toEqual([method, 404, -32601]);
    }
  });

  it('names the versions that it supports to who asks for another one', async () => {
    const other = message('tools/list') as { params: { _meta: Record<string, unknown> } };
    other.params._meta[`${KEY}protocolVersion`] = '2030-01-01';
    const { status, body } = await send(other, { ...headersFor('tools/list'), 'mcp-protocol-version': '2030-01-01' });
    expect([status, body.error?.code]).toEqual([400, -32022]);
    expect(body.error?.data?.supported).toContain(VERSION);
  });

  it('refuses headers that differ from the body', async () => {
    for (const headers of [
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-method': 'tools/call' },
      { 'mcp-protocol-version': undefined },
      { 'mcp-method': undefined },
      { 'mcp-method': 'Tools/List' },
    ]) {
      const { status, body } = await ask('tools/list', {}, headers);
      expect([headers, status, body.error?.code, body.id]).toEqual([headers, 400, -32020, 7]);
    }
    const { 'mcp-method': method, ...others } = headersFor('tools/list');
    expect((await send(message('tools/list'), { ...others, 'MCP-METHOD': method })).status).toBe(200);
    const another = `=?base64?${Buffer.from('get_flow').toString('base64')}?=`;
    for (const name of ['get_flow', another, '=?base64?!?=', undefined]) {
      const { status, body } = await call('list_flows', {}, { 'mcp-name': name });
      expect([name, status, body.error?.code]).toEqual([name, 400, -32020]);
    }
    const encoded = `=?base64?${Buffer.from('list_flows').toString('base64')}?=`;
    expect((await call('list_flows', {}, { 'mcp-name': encoded })).status).toBe(200);
  });

  it('says what it can do to who asks', async () => {
    const { status, body } = await ask('server/discover');
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      ...{ resultType: 'complete', supportedVersions: [VERSION], capabilities: { tools: {} } },
      ...{ ttlMs: expect.any(Number) as number, cacheScope: 'private' },
    });
  });

  it('answers clients of 2025 without a session', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } };
    const headers = { authorization: `Bearer ${token}` };
    const first = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers);
    expect([first.status, first.headers['mcp-session-id']]).toEqual([200, undefined]);
    expect(first.body.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'weft' } });
    const later = { ...headers, 'mcp-protocol-version': '2025-11-25' };
    const list = await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, later);
    expect((list.body.result?.tools as unknown as Json[]).length).toBeGreaterThan(10);
    expect(list.body.result).not.toHaveProperty('resultType');
  });
});

describe('tools', () => {
  it('are listed for one caller, for a while, under names that all clients take', async () => {
    const { result } = (await ask('tools/list')).body;
    expect(result).toMatchObject({ cacheScope: 'private', ttlMs: expect.any(Number) as number });
    for (const { name } of result?.tools as unknown as Json[]) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
  });

  it('are the same for every connection, and after every call', async () => {
    const names = async () =>
      ((await ask('tools/list')).body.result?.tools as unknown as Json[]).map(({ name }) => name);
    const before = await names();
    await call('list_flows', {}, { connection: 'close' });
    expect(await names()).toEqual(before);
  });

  it('answer what their output schema says, and check what they are given', async () => {
    const { result } = (await ask('tools/list')).body;
    const listed = result?.tools as unknown as { name: string; outputSchema: object }[];
    const { structuredContent } = (await call('list_modules')).body.result ?? {};
    const schema = listed.find(({ name }) => name === 'list_modules')?.outputSchema ?? {};
    expect(faultsOf(createAjv().compile(schema), structuredContent)).toEqual([]);
    const wrong = (await call('list_modules', { appId: 5 })).body.result;
    expect([wrong?.isError, wrong?.structuredContent]).toEqual([true, undefined]);
  });

  it('that need a capability of the client are refused to who has not declared it', async () => {
    const flowId = await storedFlow(mongo, admin);
    const { status, body } = await call('delete_flow', { flowId, version: 1 });
    expect([status, body.error?.code, body.id]).toEqual([400, -32021, 7]);
    expect(body.error?.data?.requiredCapabilities).toHaveProperty('elicitation');
    // not even by one who has said it in a request before
    const params = { name: 'delete_flow', arguments: { flowId, version: 1 } };
    const able = message('tools/call', params, { elicitation: {} });
    expect((await send(able, headersFor('tools/call', 'delete_flow'))).body.result?.resultType).toBe('input_required');
    expect((await call('delete_flow', { flowId, version: 1 })).body.error?.code).toBe(-32021);
  });

  it('that nobody has are an error of the protocol', async () => {
    const { body } = await call('no_such_tool');
    expect(body.error?.code).toBe(-32602);
  });

  it('give structured content and the same as text', async () => {
    const { result } = (await call('list_flows')).body;
    const [first] = result?.content as unknown as Json[];
    expect(JSON.parse(textOf(first?.text))).toEqual(result?.structuredContent);
  });

  it('ask by a result with signed state, which no other credential and no changed text passes', async () => {
    const flowId = await storedFlow(mongo, admin);
    const remove = (params: object, key = token) =>
      send(
        message(
          'tools/call',
          { name: 'delete_flow', arguments: { flowId, version: 1 }, ...params },
          { elicitation: {} },
        ),
        { ...headersFor('tools/call', 'delete_flow'), authorization: `Bearer ${key}` },
      );
    const { result } = (await remove({})).body;
    expect(result).toMatchObject({
      ...{ resultType: 'input_required', requestState: expect.any(String) as string },
      inputRequests: { confirm: { method: 'elicitation/create', params: { mode: 'form' } } },
    });
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    const requestState = textOf(result?.requestState);
    const changed = requestState.replace(/.(?=.{4}$)/, (one) => (one === 'A' ? 'B' : 'A'));
    expect((await remove({ inputResponses, requestState: changed })).body.error?.code).toBe(-32602);
    expect((await remove({ inputResponses, requestState }, await keyOf('mcp'))).body.error?.code).toBe(-32602);
    // an answer without the question that it belongs to
    expect((await remove({ inputResponses })).body.result?.resultType).toBe('input_required');
    expect((await admin.send('GET', `/api/v1/flows/${flowId}`)).status).toBe(200);
    const declined = { confirm: { action: 'decline' } };
    expect((await remove({ inputResponses: declined, requestState })).body.result?.structuredContent?.deleted).toBe(
      false,
    );
    expect((await remove({ inputResponses, requestState })).body.result?.structuredContent?.deleted).toBe(true);
    expect((await remove({ inputResponses, requestState })).body.result?.isError).toBe(true);
  });

  it('whose request is closed end their wait, and never the play', async () => {
    const flowId = await storedFlow(mongo, admin, { greet: 'text-template' });
    const body = JSON.stringify(message('tools/call', { name: 'run_flow', arguments: { flowId } }));
    const headers = { ...headersFor('tools/call', 'run_flow'), 'content-type': 'application/json' };
    const sent = httpRequest({
      ...{ host: '127.0.0.1', port, method: 'POST', path: '/mcp' },
      headers: { ...headers, accept: 'application/json, text/event-stream' },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const plays = () => mongo.collection<Play>(PLAYS).find({ flowId }).toArray();
    await expect.poll(plays).toHaveLength(1);
    sent.destroy();
    const again = await call('list_plays', { flowId });
    expect(again.body.result?.structuredContent?.items).toMatchObject([{ state: 'NEW', trigger: 'mcp' }]);
    expect((await plays())[0]?.state).toBe('NEW');
  });
});
