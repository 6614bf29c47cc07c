import { describe, expect, it } from 'vitest';
import { readLayer } from './layer-reading.js';
import { validateArgs } from './validate-args.js';

function faultsOf(appId: string, args: unknown) {
  const layer = { appId, args: args as Record<string, unknown>, when: null, forEach: null };
  return validateArgs(layer, readLayer(layer));
}

const codes = (appId: string, args: unknown): readonly string[] =>
  faultsOf(appId, args).map(({ code, path }) => `${code} ${path}`);

describe('validateArgs', () => {
  it('lets good arguments pass', () => {
    expect(
      codes('web-request', { url: '{{ .first.json.url }}', headers: { 'X-A': '{{ $prev.second.text }}' } }),
    ).toEqual([]);
  });

  it('names a module that is near the unknown one', () => {
    expect(codes('web-requst', {})).toEqual(['unknown_app appId']);
    expect(faultsOf('web-requst', {})[0]?.message).toContain('did you mean web-request?');
    expect(faultsOf('constructor', {})[0]?.message).toContain('there are web-request, operation, mcp-tool');
  });

  it.each<[unknown, readonly string[]]>([
    [{}, ['invalid_args args.url']],
    [null, ['invalid_args args']],
    ['text', ['invalid_args args']],
    [{ url: 'http://a/', methud: 'GET' }, ['invalid_args args.methud']],
    [{ url: 'http://a/', authorization: 'x' }, ['invalid_args args.authorization']],
    [{ url: 5 }, ['invalid_args args.url']],
    [{ url: 'http://a/', method: 'CONNECT' }, ['invalid_args args.method']],
    [{ url: 'http://a/', method: 'TRACE' }, ['invalid_args args.method']],
    [{ url: 'http://a/', headers: { a: {} } }, ['invalid_args args.headers.a']],
    [{ url: 'http://a/', timeoutMs: 0 }, ['invalid_args args.timeoutMs']],
    [{ url: 'http://a/', timeoutMs: 1.5 }, ['invalid_args args.timeoutMs']],
    [{ url: 'http://a/', failOn: ['4xx', '9xx', '4', '400-'] }, [1, 2, 3].map((i) => `invalid_args args.failOn.${i}`)],
    [{ url: 'http://a/', followRedirects: 'yes' }, ['invalid_args args.followRedirects']],
  ])('refuses %j', (args, expected) => {
    expect(codes('web-request', args)).toEqual(expected);
  });

  it.each<[unknown]>([
    [{ url: '{{ $prev.args.url }}', timeoutMs: '{{ $prev.args.ms }}' }],
    [{ url: 'http://a/', headers: '{{ $prev.args.headers }}', query: { q: ['{{ .a.b }}', 1] } }],
    [{ url: 'http://a/', failOn: ['{{ $prev.args.rule }}'], followRedirects: '{{ .a.b }}', method: '{{ .a.method }}' }],
    [{ url: 'http://a/', method: 'post', body: { any: ['{{ .a }}'] } }],
  ])('leaves %j for the run to check', (args) => {
    expect(codes('web-request', args)).toEqual([]);
  });

  it('still checks what stands beside an expression', () => {
    expect(codes('web-request', { url: '{{ .a.b }}', timeoutMs: 'soon', extra: '{{ .a.b }}' })).toEqual([
      'invalid_args args.timeoutMs',
      'invalid_args args.extra',
    ]);
    expect(codes('web-request', { url: 'http://a/', headers: { a: '{{ .x.y }}', b: {} } })).toEqual([
      'invalid_args args.headers.b',
    ]);
  });

  it('needs a template', () => {
    expect(codes('text-template', {})).toEqual(['invalid_args args.template']);
    expect(codes('text-template', { template: 'x' })).toEqual([]);
    expect(codes('text-template', { template: '{{ .a.b }}' })).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['web-request', { uri: 'http://a/' }, 'args.url is required; did you mean url instead of uri?'],
    ['web-request', { url: 'http://a/', retries: 3 }, 'args.retries does not exist; there are url, method, headers'],
    ['web-request', { url: 'http://a/', querry: {} }, 'args.querry does not exist; did you mean query?'],
    ['web-request', { url: 5 }, 'args.url must be a text of 1 to 16384 characters, not 5'],
    ['web-request', { url: 'http://a/', timeoutMs: 0 }, 'must be an integer number of milliseconds from 1 to 86400000'],
    ['web-request', { url: 'http://a/', method: 'TRACE' }, 'args.method must be one of "GET", "HEAD", "POST"'],
    ['web-request', { url: 'http://a/', followRedirects: 'yes' }, 'followRedirects must be true or false, not a text'],
    ['web-request', { url: 'http://a/', failOn: ['4'] }, 'args.failOn.0: expected a status like "404"'],
    ['web-request', { url: 'http://a/', auth: {} }, 'args.auth.integrationId is required'],
    ['delay', { until: '2026-12-24' }, 'args.until must be a time with its zone, such as 2026-12-24T10:00:00Z'],
    ['delay', { until: '2026-12-24T10:00:00' }, 'args.until must be a time with its zone'],
    ['delay', { until: 5 }, 'args.until must be a time with its zone, such as'],
    ['web-request', 'text', 'args must be an object with url, not a text'],
  ])('says of %s %j what is expected', (appId, args, message) => {
    expect(faultsOf(appId, args)[0]?.message).toContain(message);
  });

  it.each<[string, string | null]>([
    ['return input.a', null],
    ['const { a } = await input; return a ?? 1;', null],
    ['return `${input}`.match(/(?<y>\\d+)/u)?.groups.y', null],
    ['const a = 1;\nconst b =;', 'args.source: Unexpected token (line 2, column 10)'],
    ['const a = 1; const a = 2;', "Identifier 'a' has already been declared (line 1, column 20)"],
    ['if (input) {', 'the source ends before a bracket is closed'],
  ])('reads code: %j', (source, message) => {
    const [fault] = faultsOf('code', { source });
    if (message === null) expect(fault).toBeUndefined();
    else expect(`${fault?.path}: ${fault?.message}`).toContain(message);
  });

  it('says the same again of code that it has read before', () => {
    const [first, again] = [1, 2].map(() => faultsOf('code', { source: 'return =' }));
    expect(first).toHaveLength(1);
    expect(again).toEqual(first);
  });

  it('leaves code to the run that is nested too deep for the parser', () => {
    expect(codes('code', { source: '['.repeat(60_000) })).toEqual([]);
  });

  it('reads code also when another argument is an expression', () => {
    expect(codes('code', { source: 'return =', timeoutMs: '{{ $prev.args.ms }}' })).toEqual([
      'invalid_args args.source',
    ]);
  });
});
