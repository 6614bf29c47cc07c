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
    expect(faultsOf('constructor', {})[0]?.message).toContain('there are web-request, text-template');
  });

  it.each<[unknown, readonly string[]]>([
    [{}, ['invalid_args args.url']],
    [null, ['invalid_args args']],
    ['text', ['invalid_args args']],
    [{ url: 'http://a/', methud: 'GET' }, ['invalid_args args']],
    [{ url: 'http://a/', authorization: 'x' }, ['invalid_args args']],
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
      'invalid_args args',
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
});
