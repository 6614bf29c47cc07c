import { describe, expect, it } from 'vitest';
import type { EgressRequest } from './egress-client.js';
import { readRequest } from './outgoing-request.js';

const read = (part: Partial<EgressRequest>) =>
  readRequest(
    { method: 'GET', url: 'http://one.example/', timeoutMs: 1, maxRedirects: 0, maxResponseBytes: 1, ...part },
    'weft/test',
  );
const refused = (code: string): unknown => expect.objectContaining({ name: 'EgressError', code });

describe('readRequest', () => {
  it('adds the headers that are missing and leaves those that are there', () => {
    expect(read({}).headers).toEqual([
      'user-agent',
      'weft/test',
      'accept',
      '*/*',
      'accept-encoding',
      'gzip, deflate, br',
    ]);
    expect(read({ headers: { 'User-Agent': 'a', ACCEPT: 'b', 'Accept-Encoding': 'c' } }).headers).toEqual([
      'User-Agent',
      'a',
      'ACCEPT',
      'b',
      'Accept-Encoding',
      'c',
    ]);
  });

  it.each(['CONNECT', 'connect', 'TRACE', 'TRACK', 'GE T', 'GET\r\nX: y', '', 'GET/1'])(
    'refuses the method %j',
    (method) => {
      expect(() => read({ method })).toThrow(refused('invalid_args'));
    },
  );

  it.each([
    'Host',
    'host',
    'Transfer-Encoding',
    'Content-Length',
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'bad name',
    'a:b',
    '',
    'x\r\ny',
  ])('refuses the header %j', (name) => {
    expect(() => read({ headers: { [name]: '1' } })).toThrow(refused('invalid_args'));
  });

  it.each(['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'ā'])(
    'refuses the header value %j without repeating it',
    (value) => {
      try {
        read({ headers: { 'x-secret': value } });
        expect.unreachable();
      } catch (error) {
        expect(error).toEqual(refused('invalid_args'));
        expect(String(error)).toContain('x-secret');
        expect(String(error)).not.toContain(value);
      }
    },
  );

  it.each([
    '/relative',
    'nonsense',
    '',
    'http://',
    'http://one.example/\r\nX: y',
    'http://one.example/a\tb',
    'http://[::1',
  ])('refuses the url %j', (url) => {
    expect(() => read({ url })).toThrow(refused('invalid_args'));
  });

  it('refuses urls and headers past their limits', () => {
    expect(() => read({ url: `http://one.example/${'a'.repeat(16_384)}` })).toThrow(refused('invalid_args'));
    expect(() => read({ headers: { a: 'a'.repeat(32_768) } })).toThrow(refused('invalid_args'));
  });

  it.each(['file:///etc/passwd', 'gopher://x/', 'ftp://x/', 'ws://x/', 'javascript:alert(1)', 'unix:/run/x'])(
    'refuses the scheme of %s',
    (url) => {
      expect(() => read({ url })).toThrow(refused('destination_blocked'));
    },
  );

  it('sends credentials of the url as Basic authorization, unless there is one', () => {
    const hop = read({ url: 'http://us%40er:p%ss@one.example/x' });
    expect(hop.url.href).toBe('http://one.example/x');
    expect(hop.headers).toContain(`Basic ${Buffer.from('us@er:p%ss').toString('base64')}`);
    expect(read({ url: 'http://u:p@one.example/', headers: { authorization: 'mine' } }).headers).not.toContain(
      `Basic ${Buffer.from('u:p').toString('base64')}`,
    );
  });
});
