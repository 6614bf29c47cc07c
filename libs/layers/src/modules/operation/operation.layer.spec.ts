import { createEgressClient, type EgressRequest, type EgressResponse } from '@weft/egress';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Face, FaceFault } from '../../face.js';
import { faceFaults } from '../../face-faults.js';
import { namedFaces } from '../../named-faces.js';
import { layerContext } from '../../layer-context.fixture.js';
import { LayerFailure, type LayerContext, type Output } from '../../layer-module.js';
import { linkKindsFor } from './link-kinds.js';
import { operation } from './operation.layer.js';
import { faceOf, SHOP_SCHEMES } from './shop.fixture.js';

interface Given {
  readonly answer?: Partial<EgressResponse>;
  readonly face?: Face | FaceFault;
  readonly context?: Partial<LayerContext>;
}

const ORDER = { id: 7, parts: [{ id: 8 }] };

/** What it sends, and what becomes of the answer. */
async function call(name: string, args: object, { answer, face = faceOf(name), context }: Given = {}) {
  const asked: EgressRequest[] = [];
  const http = {
    request: async (request: EgressRequest): Promise<EgressResponse> => {
      asked.push(request);
      const headers = { 'content-type': 'application/json' };
      return { statusCode: 200, headers, body: Buffer.from(JSON.stringify(ORDER)), url: request.url, ...answer };
    },
    close: async () => undefined,
  };
  const parsed = operation.argsSchema.parse({ api: 'shop', operation: name, ...args });
  const bound = operation.bind?.(parsed, face) ?? parsed;
  const out: Output = await operation.run(bound, layerContext({ http, ...context }));
  return { out, asked, bound };
}

async function failure(name: string, args: object, given?: Given): Promise<LayerFailure> {
  const error: unknown = await call(name, args, given).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof LayerFailure) return error;
  throw error instanceof Error ? error : new Error('it did not fail');
}

const json = (value: unknown): Partial<EgressResponse> => ({ body: Buffer.from(JSON.stringify(value)) });
const saved = (args: object, name: string, face: Face | FaceFault = faceOf(name)) => {
  const layer = { appId: 'operation', args: { api: 'shop', operation: name, ...args }, when: null, forEach: null };
  return namedFaces(layer).flatMap((named) =>
    faceFaults(layer, named, face).map(({ path, message }) => `${path} ${message}`),
  );
};

describe('an operation', () => {
  it('is a web request to the server of its document, and its output has a typed body', async () => {
    const { out, asked } = await call('getOrder', { input: { path: { id: 7 }, query: { with: ['parts', 'notes'] } } });
    expect(asked).toMatchObject([
      {
        method: 'GET',
        url: 'https://api.example.com/v1/orders/7?with=parts,notes',
        headers: { Accept: 'application/json', 'Idempotency-Key': 'play.0' },
      },
    ]);
    expect(out).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json' },
      durationMs: expect.any(Number) as number,
      body: ORDER,
    });
  });

  it('calls another server of the document, or the address that the company has set', async () => {
    const input = { path: { id: 1 } };
    expect((await call('getOrder', { input, server: 1 })).asked[0]?.url).toBe('https://eu.example.com/orders/1');
    const face = faceOf('getOrder', { baseUrl: 'https://own.example/api' });
    expect((await call('getOrder', { input, server: 9 }, { face })).asked[0]?.url).toBe(
      'https://own.example/api/orders/1',
    );
    expect(await failure('getOrder', { input, server: 2 })).toMatchObject({ code: 'invalid_args' });
  });

  it('sends nothing that does not fit, and says where', async () => {
    const fault = await failure('getOrder', { input: { path: { id: 'x' }, query: { with: ['all'], more: 1 } } });
    expect([fault.code, fault.message]).toEqual([
      'invalid_args',
      'input.path.id must be integer; input.query.with.0 must be one of ["parts","notes"]; input.query.more is not one of the fields',
    ]);
    expect((await failure('createOrder', { input: {} })).message).toBe('input.body is required');
    expect((await failure('createOrder', { input: { body: { id: 1, parts: [{ id: 'x' }] } } })).message).toBe(
      'input.body.parts.0.id must be integer',
    );
  });

  it('leaves out parameters that are null', async () => {
    const { asked } = await call('getOrder', { input: { path: { id: 7 }, query: { with: null } } });
    expect(asked[0]?.url).toBe('https://api.example.com/v1/orders/7');
    expect((await failure('getOrder', { input: { path: { id: null } } })).message).toBe('input.path.id is required');
  });

  it('notes in its output that the answer does not fit, or fails', async () => {
    const input = { path: { id: 7 } };
    const answer = json({ id: 'seven', parts: [{}] });
    const unexpected = [
      { path: 'body.id', message: 'must be integer' },
      { path: 'body.parts.0.id', message: 'is required' },
    ];
    expect((await call('getOrder', { input }, { answer })).out).toMatchObject({ unexpected });
    expect(await failure('getOrder', { input, onUnexpected: 'fail' }, { answer })).toMatchObject({
      code: 'invalid_output',
      message: 'the answer does not fit its schema: body.id must be integer',
      out: { unexpected },
    });
  });

  it('judges all of an answer only where it is to fail', async () => {
    const answer = json([...Array.from({ length: 1_000 }, (_, id) => ({ id })), { id: 'last' }]);
    expect((await call('listOrders', {}, { answer })).out).not.toHaveProperty('unexpected');
    expect((await failure('listOrders', { onUnexpected: 'fail' }, { answer })).message).toContain(
      'body.1000.id must be integer',
    );
  });

  it('has null for an empty body and for null, and a text where the body is not JSON', async () => {
    const made = await call(
      'createOrder',
      { input: { body: { id: 1 } } },
      { answer: { statusCode: 201, body: Buffer.alloc(0) } },
    );
    expect(made.out).toMatchObject({ statusCode: 201, body: null });
    expect(made.out).not.toHaveProperty('unexpected');
    const input = { path: { id: 7 } };
    expect((await call('getOrder', { input }, { answer: json(null) })).out.body).toBeNull();
    const text = { headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>') };
    expect((await call('getOrder', { input }, { answer: text })).out).toMatchObject({
      body: '<p>',
      unexpected: [{ path: 'body', message: 'must be object' }],
    });
  });

  it('fails with the status of a refusal, whose body is typed as well', async () => {
    const answer = { statusCode: 404, ...json({ error: 'gone' }) };
    const fault = await failure('getOrder', { input: { path: { id: 7 } } }, { answer });
    expect(fault).toMatchObject({
      code: 'bad_status',
      message: 'api.example.com answered 404',
      out: { statusCode: 404, body: { error: 'gone' } },
      answer: { statusCode: 404 },
    });
    expect(fault.out).not.toHaveProperty('json');
    const { out } = await call('getOrder', { input: { path: { id: 7 } }, failOn: [] }, { answer });
    expect(out).toMatchObject({ statusCode: 404, body: { error: 'gone' } });
  });

  it('fails when its API or its state is gone', async () => {
    const gone = { code: 'operation_changed', path: 'digest', message: 'it is gone' } as const;
    expect(await failure('getOrder', {}, { face: gone })).toMatchObject({
      code: 'operation_changed',
      message: 'it is gone',
    });
    const args = operation.argsSchema.parse({ api: 'a', operation: 'b' });
    expect(() => operation.bind?.(args, undefined)).toThrow('There is no operation "b" here.');
  });

  it('goes from page to page as a web request does', async () => {
    const paginate = { cursor: { from: '{{ $page.json.next }}', param: 'cursor' } };
    const { out, bound } = await call('listOrders', { paginate }, { answer: json([{ id: 1 }]) });
    const page = operation.paging?.pageOf(out);
    expect(page).toMatchObject({ statusCode: 200, json: [{ id: 1 }] });
    const next = operation.paging?.following(bound, bound, page ?? {}, { 'cursor.from': 'c 2' });
    const { asked } = await call('listOrders', {}, { context: {} });
    expect(asked[0]?.url).toBe('https://api.example.com/v1/orders');
    expect(next?.bound?.request).toMatchObject({ url: 'https://api.example.com/v1/orders', query: { cursor: 'c 2' } });
    expect(operation.paging?.identityOf(bound)).not.toEqual(operation.paging?.identityOf(next ?? bound));
    expect(operation.paging?.most(bound)).toBe(100);
    await expect(call('listOrders', { paginate, onUnexpected: 'fail' }, { answer: json([{}]) })).rejects.toMatchObject({
      code: 'invalid_output',
    });
  });
});

it('calls no server of a document that a web request may not call', async () => {
  const http = createEgressClient({ allow: [] });
  onTestFinished(() => http.close());
  for (const url of ['http://169.254.169.254/latest', 'http://127.0.0.1:1', 'http://[::1]:1']) {
    const { plan } = faceOf('listOrders');
    const face = faceOf('listOrders', { plan: { ...plan, servers: [{ url }] } });
    expect(await failure('listOrders', {}, { face, context: { http } })).toMatchObject({ code: 'destination_blocked' });
  }
});

describe('the link of an operation', () => {
  const link = (endpoint: string | null): Pick<LayerContext, 'connection'> => ({
    connection: async () => ({ type: 'api', endpoint, secret: 'key-of-the-shop' }),
  });
  const args = { input: { path: { id: 7 } }, auth: { integrationId: 'l' } };

  it('is used at the origin of its endpoint', async () => {
    const { asked } = await call('getOrder', args, { context: link('https://api.example.com/other/path') });
    expect(asked[0]?.headers).toMatchObject({ Authorization: 'Bearer key-of-the-shop' });
  });

  it.each(['https://evil.example', 'http://api.example.com', 'https://api.example.com:8443', 'smtp://api.example.com'])(
    'is not sent to the server of a document when its endpoint is %s',
    async (endpoint) => {
      const { code, message } = await failure('getOrder', args, { context: link(endpoint) });
      expect(code).toBe(endpoint.startsWith('http') ? 'destination_blocked' : 'integration_unusable');
      expect(message).not.toContain('key-of-the-shop');
    },
  );

  it('must have an endpoint', async () => {
    expect(await failure('getOrder', args, { context: link(null) })).toMatchObject({ code: 'integration_unusable' });
  });

  it('is not sent when a refresh has moved the server, or the company has set another address', async () => {
    const face = faceOf('getOrder', { baseUrl: 'https://evil.example' });
    expect(await failure('getOrder', args, { face, context: link('https://api.example.com') })).toMatchObject({
      code: 'destination_blocked',
    });
  });

  it('is of a kind that shows what the document asks for', () => {
    expect(faceOf('getOrder').linkKinds).toEqual(['headers', 'basic', 'oauth2', 'oauth2_client_credentials', 'bearer']);
    expect(linkKindsFor([[{ scheme: 'key', scopes: [] }]], SHOP_SCHEMES)).toEqual(['header', 'headers']);
    expect(linkKindsFor([[{ scheme: 'constructor', scopes: [] }], []], SHOP_SCHEMES)).toEqual([]);
  });
});

describe('a layer that is saved', () => {
  it('has the faults of its constants, and none of what an expression decides', () => {
    expect(
      saved({ input: { path: { id: '{{ $prev.args.id }}' }, query: { with: ['{{ .a.b }}', 'x'] } } }, 'getOrder'),
    ).toEqual(['args.input.query.with.1 must be one of ["parts","notes"]']);
    expect(saved({ input: { body: '{{ .a.order }}' } }, 'createOrder')).toEqual([]);
    expect(saved({ input: { body: { id: '{{ .a.id }}', parts: [{}] } } }, 'createOrder')).toEqual([
      'args.input.body.parts.0.id is required',
    ]);
    expect(saved({ input: '{{ .a.input }}' }, 'createOrder')).toEqual([]);
    expect(saved({}, 'createOrder')).toEqual(['args.input.body is required']);
  });

  it('must name what is there', () => {
    const gone = { code: 'api_not_found', path: 'api', message: 'there is none' } as const;
    expect(saved({}, 'createOrder', gone)).toEqual(['args.api there is none']);
    expect(saved({ server: 5, input: { body: { id: 1 } } }, 'createOrder')).toEqual([
      'args.server is 5, and the operation has 2 servers, from 0',
    ]);
    const { servers: _, ...plan } = faceOf('createOrder').plan;
    const relative = faceOf('createOrder', { plan: { ...plan, servers: [{ url: '/v1' }] } });
    expect(saved({ input: { body: { id: 1 } } }, 'createOrder', relative)).toEqual([
      'args.server "/v1" is not an http or https address: set the address of the API',
    ]);
  });

  it('is named by its constants', () => {
    const key = (args: object) => operation.faceKey?.({ ...args });
    expect(key({ api: 'a', operation: 'b' })).toBe('a/b');
    expect(key({ api: 'a', operation: 'b', digest: 'c' })).toBe('a/b@c');
    expect([key({ api: 'a' }), key({ api: '', operation: 'b' }), key({})]).toEqual([null, null, null]);
  });
});
