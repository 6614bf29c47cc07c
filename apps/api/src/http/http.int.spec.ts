import { describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../test/api/live-api.js';

const { send, person } = await liveApi();
const viewer = await person('viewer');
const editor = await person('flow_editor');

const MEMBERS = ['code', 'detail', 'errors', 'instance', 'reason', 'requestId', 'retryable', 'status', 'title', 'type'];

describe('problems', () => {
  it('have exactly the members of the contract', async () => {
    const answer = await send('GET', '/api/v1/nothing?secret=1', { headers: { 'x-request-id': 'r-1' } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(Object.keys(answer.body).sort()).toEqual(MEMBERS);
    expect(answer.body).toMatchObject({
      status: 404,
      code: 'not_found',
      instance: '/api/v1/nothing',
      reason: null,
      retryable: false,
      requestId: 'r-1',
      errors: [],
    });
  });

  it('tell an unknown path from a method that it does not take', async () => {
    const wrong = await send('DELETE', '/api/v1/flows');
    expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(wrong.headers.allow).toBe('GET, HEAD, POST');
    expect((await send('GET', '/api/v1/flows/')).status).toBe(404);
    expect((await send('GET', '/api/V1/flows')).status).toBe(404);
    expect((await send('POST', '/api/v1/flows/x/layers/y')).status).toBe(405);
    expect((await send('QUERY', '/api/v1/flows')).headers.allow).toBe('GET, HEAD, POST');
    expect((await send('QUERY', '/api/v1/nothing')).status).toBe(404);
  });

  it('name the methods of a path that is written out, not those of one with a parameter in its place', async () => {
    const wrong = await send('PUT', '/api/v1/plays/bulk');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.allow).toBe('POST');
  });
});

describe('bodies', () => {
  it('are read after the caller was judged: first who, then what', async () => {
    const rubbish = { body: '{"name":' };
    expect((await send('POST', '/api/v1/flows', rubbish)).status).toBe(401);
    expect((await viewer.send('POST', '/api/v1/flows', rubbish)).body).toMatchObject({ status: 403, code: 'denied' });
    expect((await editor.send('POST', '/api/v1/flows', rubbish)).body).toMatchObject({
      status: 400,
      code: 'malformed_json',
    });
  });

  it('are objects: none at all counts as an empty one, and null does not', async () => {
    const { body: flow } = await editor.send('POST', '/api/v1/flows', { body: { name: 'x' } });
    const path = `/api/v1/flows/${textOf(flow.id)}`;
    expect((await editor.send('PATCH', path)).status).toBe(200);
    expect((await editor.send('POST', `${path}/run`, { body: 'null' })).body.code).toBe('invalid_body');
    expect((await editor.send('PATCH', path, { body: 'null' })).body).toMatchObject({
      status: 400,
      code: 'invalid_body',
    });
  });

  it('names the methods of a nested path, not those of the things next to it', async () => {
    const { status, headers } = await editor.send('DELETE', '/api/v1/flows/x/layers/order/');
    expect([status, headers.allow]).toEqual([404, undefined]);
    const options = await editor.send('OPTIONS', '/api/v1/flows/x/layers/order');
    expect([options.status, options.headers.allow]).toEqual([405, 'PUT']);
  });

  it('are JSON and nothing else', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await editor.send('POST', '/api/v1/flows', { body: 'name=x', headers: { 'content-type': type } });
      expect([type, answer.status, answer.body.code]).toEqual([type, 415, 'unsupported_media_type']);
    }
    const created = async (parameters: string) => {
      const headers = { 'content-type': `application/json${parameters}` };
      return (await editor.send('POST', '/api/v1/flows', { body: { name: 'x' }, headers })).status;
    };
    for (const one of ['', '; charset=utf-8', ';Charset="UTF-8"', '; charset=utf8; x=y']) {
      expect([one, await created(one)]).toEqual([one, 201]);
    }
    for (const one of ['; charset=utf-7', ';charset="utf-16le"', '; charset=utf-8; charset=utf-7', '; charset=']) {
      expect([one, await created(one)]).toEqual([one, 415]);
    }
  });

  it('are not encoded: what nobody decodes is refused, wherever it is sent', async () => {
    const path = '/api/v1/flows';
    for (const coding of ['gzip', 'deflate', 'br', 'identity, gzip']) {
      const headers = { 'content-encoding': coding };
      const refused = [
        await editor.send('POST', path, { body: { name: 'x' }, headers }),
        await editor.send('POST', '/api/v1/payloads', {
          body: 'a,b',
          headers: { ...headers, 'content-type': 'text/csv' },
        }),
      ];
      for (const { status, body, headers: answered } of refused) {
        expect([status, body.code, answered['accept-encoding']]).toEqual([415, 'unsupported_media_type', 'identity']);
      }
    }
    const plain = { body: { name: 'x' }, headers: { 'content-encoding': 'identity' } };
    expect((await editor.send('POST', path, plain)).status).toBe(201);
  });

  it('that are missing are empty objects', async () => {
    expect((await editor.send('POST', '/api/v1/flows')).body).toMatchObject({
      code: 'invalid_body',
      errors: [{ path: 'name', code: 'required', message: 'name is required' }],
    });
    const empty = await editor.send('POST', '/api/v1/flows', { body: '', headers: { 'content-type': 'text/plain' } });
    expect(empty.body.code).toBe('invalid_body');
  });

  it('that an operation does not take are refused, empty ones are not', async () => {
    const out = (body: unknown) => send('POST', '/auth/logout', { body });
    expect((await out({ everywhere: true })).body).toMatchObject({ status: 400, code: 'unknown_field' });
    for (const body of ['[]', 'null', '"x"']) expect((await out(body)).status, body).toBe(body === 'null' ? 204 : 400);
    expect([(await out({})).status, (await send('POST', '/auth/logout')).status]).toEqual([204, 204]);
  });

  it('over 1 MB are refused, whoever sends them', async () => {
    const large = { body: { name: 'x'.repeat(1024 * 1024) } };
    expect((await editor.send('POST', '/api/v1/flows', large)).body).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });
});

describe('a query', () => {
  it('cannot name what a list does not know, also of a list that knows nothing', async () => {
    for (const path of ['flows', 'modules', 'auth/providers']) {
      const answer = await editor.send('GET', `/api/v1/${path}?nonsense=1`);
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_query']);
    }
  });
});

describe('answers', () => {
  it('carry the request id, a fitting one as it was sent', async () => {
    expect((await send('GET', '/api/v1/flows', { headers: { 'x-request-id': 'abc' } })).headers['x-request-id']).toBe(
      'abc',
    );
    const made = (await send('GET', '/api/v1/flows', { headers: { 'x-request-id': 'a b' } })).headers['x-request-id'];
    expect(made).toMatch(/^\S{8,}$/);
  });

  it('are neither sniffed nor stored', async () => {
    const { headers } = await editor.send('GET', '/api/v1/flows');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  });
});
