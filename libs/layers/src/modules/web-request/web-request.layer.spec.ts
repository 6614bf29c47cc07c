import { EgressError, type EgressClient, type EgressRequest, type EgressResponse } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import { LayerFailure, type Connection, type LayerContext } from '../../layer-module.js';
import { webRequest } from './web-request.layer.js';

const OK: EgressResponse = {
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'x-a': '1' },
  body: Buffer.from('{"id":7}'),
  url: 'https://api.example/items',
};

/** An in-memory client: it records requests and gives the answers of the test. */
function recorder(answer: EgressResponse | Error = OK): EgressClient & { readonly asked: EgressRequest[] } {
  const asked: EgressRequest[] = [];
  return {
    asked,
    request: async (request) => {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: async () => undefined,
  };
}

const contextOf = (http: EgressClient, part: Partial<LayerContext> = {}): LayerContext =>
  layerContext({ http, ...part });

async function asked(args: Record<string, unknown>, part?: Partial<LayerContext>): Promise<EgressRequest> {
  const http = recorder();
  await webRequest.run(webRequest.argsSchema.parse(args), contextOf(http, part));
  return http.asked[0] as EgressRequest;
}

async function failure(args: Record<string, unknown>, answer: EgressResponse | Error): Promise<LayerFailure> {
  try {
    await webRequest.run(webRequest.argsSchema.parse(args), contextOf(recorder(answer)));
  } catch (error) {
    if (error instanceof LayerFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const URL_OF = { url: 'https://api.example/items' };

describe('web-request', () => {
  it('gives status, body, headers, json and duration', async () => {
    const out = await webRequest.run(webRequest.argsSchema.parse(URL_OF), contextOf(recorder()));
    expect(out).toEqual({
      statusCode: 200,
      body: '{"id":7}',
      headers: { 'content-type': 'application/json', 'x-a': '1' },
      json: { id: 7 },
      durationMs: expect.any(Number) as number,
    });
  });

  it('fails with a status that does not exist, unless it is not to', async () => {
    expect(await failure(URL_OF, { ...OK, statusCode: 999 })).toMatchObject({ code: 'bad_status' });
    const taken = webRequest.argsSchema.parse({ ...URL_OF, failOn: ['4xx', '500-998'] });
    expect(await webRequest.run(taken, contextOf(recorder({ ...OK, statusCode: 999 })))).toMatchObject({
      statusCode: 999,
    });
  });

  it('gives the cookies of the answer one by one, without what it must not say', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/', 'b=token-of-l; HttpOnly'];
    const headers = { 'set-cookie': cookies.join(', ') };
    const args = webRequest.argsSchema.parse({ ...URL_OF, auth: { integrationId: 'l' } });
    const connection = () => Promise.resolve({ type: 'api', endpoint: null, secret: 'token-of-l' } as Connection);
    const out = await webRequest.run(args, contextOf(recorder({ ...OK, headers, cookies }), { connection }));
    expect(out).toMatchObject({
      cookies: [
        { name: 'a', value: '1', expires: 'Wed, 21 Oct 2026 07:28:00 GMT', path: '/' },
        { name: 'b', value: '[secret]', httpOnly: true },
      ],
    });
  });

  it('leaves the bytes of an address as they are when it adds a parameter', async () => {
    const url = 'https://api.example/own?sig=a%20b%2Bc&flag&x=~(1)&p=a%2Fb';
    expect((await asked({ url, query: { page: 2, q: ['a b', null, 'c+d'] } })).url).toBe(
      `${url}&page=2&q=a%20b&q=c%2Bd`,
    );
    const connection = async () =>
      ({ type: 'api', endpoint: null, secret: 's3cr3t', kind: 'query', settings: { parameter: 'flag' } }) as const;
    const auth = { integrationId: 'l' };
    expect((await asked({ url, auth }, { connection })).url).toBe(`${url.replace('&flag', '')}&flag=s3cr3t`);
  });

  it('asks with the defaults of the contract', async () => {
    const context = contextOf(recorder());
    expect(await asked(URL_OF, { signal: context.signal })).toEqual({
      method: 'GET',
      url: 'https://api.example/items',
      headers: { 'Idempotency-Key': 'play.0' },
      timeoutMs: 30_000,
      maxRedirects: 5,
      maxResponseBytes: 67_108_864,
      streamPast: 65_536,
      signal: context.signal,
      onProgress: expect.any(Function) as () => void,
    });
  });

  it('sends the idempotency key of the layer unless one is set', async () => {
    expect((await asked({ ...URL_OF, headers: { 'idempotency-KEY': 'mine' } })).headers).toEqual({
      'idempotency-KEY': 'mine',
    });
    expect((await asked({ ...URL_OF, headers: { 'Idempotency-Key': null } })).headers).toEqual({
      'Idempotency-Key': 'play.0',
    });
  });

  it('writes headers and query values out, and leaves null out', async () => {
    const request = await asked({
      url: 'https://api.example/items?a=1#part',
      headers: { 'X-Count': 5, 'X-Flag': true, 'X-None': null },
      query: { q: 'ä b', n: 3, list: ['x', null, 2], none: null },
    });
    expect(request.headers).toEqual({ 'Idempotency-Key': 'play.0', 'X-Count': '5', 'X-Flag': 'true' });
    expect(request.url).toBe('https://api.example/items?a=1&q=%C3%A4%20b&n=3&list=x&list=2#part');
  });

  it.each<[unknown, string | undefined, string | undefined]>([
    ['text', 'text', 'text/plain; charset=utf-8'],
    ['', '', 'text/plain; charset=utf-8'],
    [{ a: [1] }, '{"a":[1]}', 'application/json'],
    [[1], '[1]', 'application/json'],
    [5, '5', 'application/json'],
    [false, 'false', 'application/json'],
    [null, undefined, undefined],
    [undefined, undefined, undefined],
  ])('sends the body %j', async (body, sent, contentType) => {
    const request = await asked({ ...URL_OF, method: 'post', body });
    expect([request.method, request.body, request.headers?.['Content-Type']]).toEqual(['POST', sent, contentType]);
  });

  it('leaves a content type that is set', async () => {
    const request = await asked({
      ...URL_OF,
      method: 'PUT',
      headers: { 'content-type': 'application/xml' },
      body: '<a/>',
    });
    expect(request.headers).toEqual({ 'Idempotency-Key': 'play.0', 'content-type': 'application/xml' });
  });

  it('never waits or reads longer than the layer may', async () => {
    expect((await asked({ ...URL_OF, timeoutMs: 5 })).timeoutMs).toBe(5);
    expect((await asked({ ...URL_OF, timeoutMs: 50_000 })).timeoutMs).toBe(30_000);
    expect((await asked(URL_OF, { timeoutMs: 90_000 })).timeoutMs).toBe(90_000);
    expect((await asked(URL_OF, { maxOutputBytes: 10 })).maxResponseBytes).toBe(10);
    expect((await asked(URL_OF, { maxOutputBytes: 1e12 })).maxResponseBytes).toBe(67_108_864);
    expect((await asked({ ...URL_OF, followRedirects: false })).maxRedirects).toBe(0);
  });

  it('fails on a bad status and keeps the output', async () => {
    const error = await failure(URL_OF, { ...OK, statusCode: 404, url: 'https://api.example/secret-path?key=s3cret' });
    expect(error).toMatchObject({
      code: 'bad_status',
      message: 'api.example answered 404',
      out: { statusCode: 404, json: { id: 7 } },
    });
    expect(webRequest.outSchema.parse(error.out)).toEqual(error.out);
  });

  it('fails on the statuses that are named and no other', async () => {
    expect((await failure({ ...URL_OF, failOn: ['200-204'] }, OK)).code).toBe('bad_status');
    const http = recorder({ ...OK, statusCode: 500 });
    const out = await webRequest.run(webRequest.argsSchema.parse({ ...URL_OF, failOn: [] }), contextOf(http));
    expect(out).toMatchObject({ statusCode: 500 });
  });

  it.each([
    'destination_blocked',
    'connect_failed',
    'timeout',
    'output_too_large',
    'cancelled',
    'invalid_args',
  ] as const)('fails with %s as the client does', async (code) => {
    const error = await failure(URL_OF, new EgressError(code, 'api.example did not'));
    expect(error).toMatchObject({ code, message: 'api.example did not', out: undefined });
  });

  it('does not pass a defect off as a failure of the peer', async () => {
    const run = webRequest.run(webRequest.argsSchema.parse(URL_OF), contextOf(recorder(new TypeError('defect'))));
    await expect(run).rejects.toThrow(TypeError);
  });

  it('sends the token of an integration link, whatever the headers say', async () => {
    const asked: string[] = [];
    const connection = async (id: string) => {
      asked.push(id);
      return { type: 'api', endpoint: null, secret: 'ya29/token' };
    };
    const args = { ...URL_OF, headers: { authorization: 'Basic x' }, auth: { integrationId: 'link1' } };
    const http = recorder();
    await webRequest.run(webRequest.argsSchema.parse(args), contextOf(http, { connection }));
    expect(http.asked[0]?.headers).toEqual({ 'Idempotency-Key': 'play.0', Authorization: 'Bearer ya29/token' });
    await webRequest.run(webRequest.argsSchema.parse(URL_OF), contextOf(http, { connection }));
    expect(asked).toEqual(['link1']);
  });

  it('shows nothing of that token, though the peer says it back', async () => {
    const token = 'ya29/to"ken';
    const connection = async () => ({ type: 'api', endpoint: null, secret: token });
    const echo = {
      ...OK,
      statusCode: 500,
      headers: { 'content-type': 'application/json', 'x-echo': `Bearer ${token}` },
      body: Buffer.from(`{"sent":"Bearer ya29\\/to\\"ken","ü":${JSON.stringify(token)}}`),
    };
    const args = webRequest.argsSchema.parse({ ...URL_OF, auth: { integrationId: 'link1' }, failOn: [] });
    const out = await webRequest.run(args, contextOf(recorder(echo), { connection }));
    expect(out).toMatchObject({
      json: { sent: 'Bearer [secret]', ü: '[secret]' },
      headers: { 'x-echo': 'Bearer [secret]' },
    });
    expect(JSON.stringify(out)).not.toContain('ya29');
  });

  it('shows the credentials of a link in the way of its kind, and nothing of them in its output', async () => {
    const connection = (): Promise<Connection> => {
      const link = { type: 'api', endpoint: null, secret: "k'y/1 2 3" };
      return Promise.resolve({ ...link, kind: 'query', settings: { parameter: 'api_key' } });
    };
    const http = recorder({ ...OK, statusCode: 302, headers: { location: '/?api_key=k%27y%2F1+2+3' } });
    const args = webRequest.argsSchema.parse({ ...URL_OF, query: { page: 1 }, auth: { integrationId: 'link1' } });
    const out = await webRequest.run(args, contextOf(http, { connection }));
    expect(http.asked[0]?.url).toBe('https://api.example/items?page=1&api_key=k%27y%2F1%202%203');
    expect(out).toMatchObject({ headers: { location: '/?api_key=[secret]' } });
  });

  it('shows nothing of the credentials among its headers, though the peer says them back', async () => {
    const basic = Buffer.from('user:pass-word-1').toString('base64');
    const echo = {
      ...OK,
      headers: { 'x-echo': `Basic ${basic}`, 'set-cookie': 'sid=session-1234' },
      body: Buffer.from('user:pass-word-1 as pass-word-1, session-1234, key-56789, lang=en'),
    };
    const headers = { AUTHORIZATION: `Basic ${basic}`, cookie: 'lang=en; sid=session-1234', 'X-Api-Key': 'key-56789' };
    const out = await webRequest.run(webRequest.argsSchema.parse({ ...URL_OF, headers }), contextOf(recorder(echo)));
    expect(out).toMatchObject({
      headers: { 'x-echo': 'Basic [secret]', 'set-cookie': 'sid=session-1234' },
      body: '[secret] as [secret], [secret], [secret], lang=en',
    });
  });

  it('leaves of its cookies what is a choice or a date, and removes what signs in or is random', async () => {
    const said = {
      ...{ state: 'accepted', zone: 'Europe/Berlin', day: 20261128, at: '2026-11-28T10:34:57.123Z' },
      ...{ session: 'session-1234', id: '4f0c2b7e9d1a4c3f', whole: '7d1f0a9b3c5e8f2a' },
    };
    const cookie = [
      ...['consent=accepted', 'tz=Europe/Berlin', `uid=${said.day}`, `seen=${said.at}`],
      ...[`PHPSESSID=${said.session}`, `visitor=${said.id}`, said.whole],
    ].join('; ');
    const echo = { ...OK, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(said)) };
    const args = webRequest.argsSchema.parse({ ...URL_OF, headers: { cookie } });
    const out = await webRequest.run(args, contextOf(recorder(echo)));
    const hidden = { session: '[secret]', id: '[secret]', whole: '[secret]' };
    expect(out).toMatchObject({ json: { ...said, ...hidden } });
  });

  it('says no secret of the request in output or message', async () => {
    const args = {
      url: 'https://user:s3cret@api.example/items?token=s3cret',
      headers: { Authorization: 'Bearer s3cret' },
      body: 's3cret',
    };
    const out = await webRequest.run(webRequest.argsSchema.parse({ ...args, method: 'POST' }), contextOf(recorder()));
    expect(JSON.stringify(out)).not.toContain('s3cret');
    const error = await failure(args, { ...OK, statusCode: 500, url: 'https://api.example/items?token=s3cret' });
    expect(error.message + JSON.stringify(error.out)).not.toContain('s3cret');
  });
});
