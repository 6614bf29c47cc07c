import { layerModules } from '@weft/layers';
import { describe, expect, it } from 'vitest';
import { CODE_HOST } from '../odd-code-host.fixture.js';
import { CHAT, MESSAGES, STORAGE, TRANSLATION } from '../odd-documents.fixture.js';
import { readApi } from '../operations/read-api.js';
import type { Operation, OperationPlan } from '../operations/plan.js';
import { compileRequest, type CompiledRequest } from './compile-request.js';
import { serverAddress } from './server-address.js';

function planOf(document: unknown, name: string): OperationPlan {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const found: Operation | undefined = readApi(Buffer.from(text), null).operations.find((each) => each.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found.plan;
}

/** What is compiled, which the module web-request takes. */
function request(plan: OperationPlan, input: object): CompiledRequest {
  const compiled = compileRequest(plan, { ...input }, serverAddress(plan.servers[0] ?? { url: '' }));
  if ('fault' in compiled) throw new Error(`${compiled.fault.path} ${compiled.fault.message}`);
  layerModules.get('web-request')?.argsSchema.parse(compiled.request);
  return compiled.request;
}
const fault = (plan: OperationPlan, input: object): string => {
  const compiled = compileRequest(plan, { ...input }, 'https://x.example');
  return 'fault' in compiled ? `${compiled.fault.path} ${compiled.fault.message}` : 'no fault';
};
const plan = (path: string, more: Partial<OperationPlan> = {}): OperationPlan => ({
  method: 'GET',
  path,
  servers: [{ url: 'https://x.example' }],
  params: [],
  body: null,
  ok: ['200'],
  accept: [],
  errors: {},
  security: [],
  ...more,
});

describe('a request', () => {
  it('has its parameters in the address, with every byte as RFC 3986 says', () => {
    const list = request(planOf(MESSAGES, 'ListMessage'), {
      path: { AccountSid: 'AC12ef' },
      query: { 'DateSent<': '2026-01-01T00:00+01:00' },
    });
    expect(list).toEqual({
      method: 'GET',
      url: 'https://api.messages.example/2010/Accounts/AC12ef/Messages.json?DateSent%3C=2026-01-01T00%3A00%2B01%3A00',
      headers: { Accept: 'application/json' },
      responseType: 'text',
    });
    expect(request(planOf(CHAT, 'channels_list'), { query: { types: ['a b', 'c,d'], cursor: 'x' } }).url).toBe(
      'https://chat.example/api/channels.list?cursor=x&types=a%20b,c%2Cd',
    );
  });

  it('has parameters in headers and cookies, and headers that the document does not list', () => {
    const params: OperationPlan['params'] = [
      { name: 'X-Ids', in: 'header', style: 'simple', explode: false },
      { name: 'sid', in: 'cookie', style: 'form', explode: true },
      { name: 'ids', in: 'cookie', style: 'form', explode: false },
    ];
    const { headers } = request(plan('/a', { params }), {
      headers: { 'X-Ids': [1, 2], 'If-Match': '"e"', none: null },
      cookies: { sid: 'a;b', ids: [1, 2] },
    });
    expect(headers).toEqual({ 'X-Ids': '1,2', 'If-Match': '"e"', Cookie: 'sid=a%3Bb; ids=1,2' });
    expect(fault(plan('/a', { params }), { headers: { 'X-Ids': 'a\r\nEvil: 1' } })).toBe(
      'headers.X-Ids has a control character, which a header cannot have',
    );
  });

  it('asks for a file where an answer is not text', () => {
    expect(request(planOf(STORAGE, 'get_files_id_content'), { path: { id: '7' } })).toMatchObject({
      url: 'https://api.storage.example/2.0/files/7/content',
      headers: { Accept: 'application/octet-stream' },
      responseType: 'auto',
    });
    expect(request(planOf(TRANSLATION, 'getEntries'), { path: { id: '7' } })).toMatchObject({
      headers: { Accept: 'text/tab-separated-values' },
      responseType: 'text',
    });
  });
});

describe('a parameter of a path', () => {
  const content = planOf(CODE_HOST, 'repos_get-content');

  it('keeps its slashes only where they are part of the path', () => {
    expect(request(content, { path: { owner: 'a/b', path: 'docs/a b?.md' } }).url).toBe(
      'https://api.code.example/repos/a%2Fb/contents/docs/a%20b%3F.md',
    );
  });

  it.each([
    [{ owner: '..', path: 'x' }, 'path gives the address the part "..", which leads to another operation'],
    [{ owner: '.', path: 'x' }, 'path gives the address the part ".", which leads to another operation'],
    [{ owner: 'o', path: 'a/../../x' }, 'path gives the address the part "..", which leads to another operation'],
    [{ owner: 'o', path: 'a/%2E%2e/x' }, 'path gives the address the part "%2E%2e", which leads to another operation'],
    [{ owner: 'o', path: 'a//x' }, 'path gives the address the part "", which leads to another operation'],
    [{ owner: '', path: 'x' }, 'path.owner must not be empty'],
    [{ owner: [], path: 'x' }, 'path.owner must not be empty'],
    [{ owner: null, path: 'x' }, 'path.owner is required'],
    [{ owner: { a: 1n }, path: Symbol.iterator }, 'path.path must be a text, a number, true or false'],
  ])('leads to no other operation: %j', (path, message) => {
    expect(fault(content, { path })).toBe(message);
  });

  it('is the own field of the input', () => {
    expect(fault(plan('/{constructor}'), { path: {} })).toBe('path.constructor is required');
  });

  it('ends no part of the address, whatever it has', () => {
    for (const owner of ['a?b', 'a#b', 'a\\..\\b', '%2e%2e', 'a\tb', '@evil.example', '//evil.example']) {
      const { url } = request(content, { path: { owner, path: 'x' } });
      expect(new URL(url).pathname.split('/')).toEqual(['', 'repos', encodeURIComponent(owner), 'contents', 'x']);
      expect(new URL(url).host).toBe('api.code.example');
    }
  });

  it('may be a part of a part, in another style, next to a query in the path', () => {
    const params: OperationPlan['params'] = [{ name: 'id', in: 'path', style: 'matrix', explode: true }];
    expect(
      request(plan('/?Action=List', { params: [{ name: 'n', in: 'query', style: 'form', explode: true }] }), {
        query: { n: 1 },
      }).url,
    ).toBe('https://x.example/?Action=List&n=1');
    expect(request(plan('/users{id}.json', { params }), { path: { id: [1, 2] } }).url).toBe(
      'https://x.example/users;id=1;id=2.json',
    );
  });
});

describe('a body', () => {
  const sent = (of: OperationPlan, input: object): unknown[] => {
    const { body, bodyType, headers } = request(of, input);
    return [bodyType, headers['Content-Type'], body];
  };

  it('is JSON of its own type', () => {
    const patch = [{ op: 'add' }];
    expect(sent(planOf(STORAGE, 'put_schema_update'), { body: patch })).toEqual([
      'json',
      'application/json-patch+json',
      patch,
    ]);
  });

  it('of a form repeats the names of lists, and has JSON where a value is deeper', () => {
    const path = { AccountSid: 'AC12ef' };
    expect(sent(planOf(MESSAGES, 'CreateMessage'), { path, body: { To: '+1 2&3', MediaUrl: ['a', 'b'] } })).toEqual([
      'text',
      'application/x-www-form-urlencoded',
      'To=%2B1%202%263&MediaUrl=a&MediaUrl=b',
    ]);
    expect(sent(planOf(CHAT, 'chat_post'), { body: { channel: 'C', blocks: { a: [1] } } })[2]).toBe(
      'channel=C&blocks=%7B%22a%22%3A%5B1%5D%7D',
    );
  });

  it('of a form has the styles that the document states for its fields', () => {
    const encoding = {
      expand: { style: 'deepObject', explode: true },
      filter: { content: 'application/json' },
      ids: { explode: false },
    } as const;
    const form = plan('/a', {
      method: 'POST',
      body: { types: [{ type: 'application/x-www-form-urlencoded', form: 'form', encoding }] },
    });
    expect(sent(form, { body: { expand: { a: [1] }, filter: { b: 1 }, ids: [1, 2] } })[2]).toBe(
      'expand%5Ba%5D%5B0%5D=1&filter=%7B%22b%22%3A1%7D&ids=1,2',
    );
  });

  it('in parts has files, JSON for objects, and a part for each element of a list', () => {
    const upload = planOf(STORAGE, 'post_files_content');
    const file = { $ref: 'play/file', filename: 'a.pdf' };
    expect(sent(upload, { body: { attributes: { name: 'a' }, file, tags: ['x', 'y'], none: null } })).toEqual([
      'multipart',
      undefined,
      [
        { name: 'attributes', value: '{"name":"a"}', contentType: 'application/json' },
        { $ref: 'play/file', filename: 'a.pdf', name: 'file' },
        { name: 'tags', value: 'x' },
        { name: 'tags', value: 'y' },
      ],
    ]);
    expect(sent(upload, { body: { file: 'text' } })[2]).toEqual([{ name: 'file', content: 'text' }]);
  });

  it('of text or bytes is sent as it is', () => {
    const raw = planOf(CODE_HOST, 'markdown_render-raw');
    expect(sent(raw, { body: '# x' })).toEqual(['text', 'text/plain', '# x']);
    expect(sent(raw, { body: '# x', contentType: 'text/x-markdown' })).toEqual(['text', 'text/x-markdown', '# x']);
    expect(fault(raw, { body: {} })).toBe('body must be a text, since it is sent as text/plain');
    const assets = planOf(CODE_HOST, 'post_assets');
    expect(sent(assets, { query: { name: 'x' }, body: { $ref: 'f' } })).toEqual([
      'binary',
      'application/octet-stream',
      { $ref: 'f' },
    ]);
  });

  it('is of a type that the operation takes', () => {
    const translate = planOf(TRANSLATION, 'translateText');
    expect(sent(translate, { body: { text: ['a'] } })[0]).toBe('json');
    expect(sent(translate, { body: { text: ['a'] }, contentType: 'Application/X-www-form-urlencoded' })[2]).toBe(
      'text=a',
    );
    expect(fault(translate, { body: {}, contentType: 'text/csv' })).toBe(
      'contentType must be one of application/json, application/x-www-form-urlencoded',
    );
    expect(fault(plan('/a'), { body: 1 })).toBe('body is not taken by this operation');
    const image = plan('/a', { method: 'PUT', body: { types: [{ type: 'image/*', form: 'binary' }] } });
    expect(sent(image, { body: { $ref: 'f' } })).toEqual(['binary', undefined, { $ref: 'f' }]);
    expect(sent(image, { body: { $ref: 'f' }, contentType: 'image/png' })).toEqual([
      'binary',
      'image/png',
      { $ref: 'f' },
    ]);
    expect(fault(image, { body: { $ref: 'f' }, contentType: 'image/png\r\nX: 1' })).toBe(
      'contentType has a character that a header cannot have',
    );
  });
});

describe('the address of a server', () => {
  const server = {
    url: 'https://{plan}.x.example:{port}/v1/',
    variables: { plan: { default: 'free', enum: ['free', 'paid'] }, port: { default: '443' } },
  };

  it('has the values of its variables, or their defaults', () => {
    expect(serverAddress(server)).toBe('https://free.x.example:443/v1');
    expect(serverAddress(server, { plan: 'paid', port: '8443' })).toBe('https://paid.x.example:8443/v1');
  });

  it('is refused where it cannot be called', () => {
    expect(() => serverAddress(server, { plan: 'evil' })).toThrow(
      'has the variable "plan", which must be one of free, paid',
    );
    expect(() => serverAddress({ url: 'https://{tenant}.x.example' })).toThrow(
      'needs a value for its variable "tenant"',
    );
    expect(() => serverAddress({ url: '/v1' })).toThrow(
      '"/v1" is not an http or https address: set the address of the API',
    );
  });
});
