import { describe, expect, it } from 'vitest';
import { plainSecretsIn } from './plain-secrets.js';

const paths = (args: Record<string, unknown>) => plainSecretsIn(args, 'args').map(({ path }) => path);

describe('what looks like a secret in plain text', () => {
  it.each([
    [{ headers: { Authorization: 'Bearer abc' } }, 'args.headers.Authorization'],
    [{ headers: { authorization: 'Basic {{ $base64encode("user:pass12345") }}' } }, 'args.headers.authorization'],
    [{ headers: { 'X-Api-Key': 'abc' } }, 'args.headers.X-Api-Key'],
    [{ headers: { 'X-Custom': 'Token abc' } }, 'args.headers.X-Custom'],
    [{ body: { login: { password: 'abc' } } }, 'args.body.login.password'],
    [{ body: { secrets: ['abc'] } }, 'args.body.secrets.0'],
    [{ body: 'the key is ghp_0123456789abcdef' }, 'args.body'],
    [{ source: 'const k = "sk_live_0123456789";' }, 'args.source'],
    [{ url: 'https://api.example/?page=1&api_key=abc' }, 'args.url'],
    [{ url: 'https://user:pass@api.example/' }, 'args.url'],
    [{ query: { access_token: 'abc' } }, 'args.query.access_token'],
    [{ body: [{ name: 'password', value: 'abc' }] }, 'args.body.0.value'],
    [{ headers: { 'X-Api-Key': '{{ "abc" }}' } }, 'args.headers.X-Api-Key'],
  ])('is found: %j', (args, path) => {
    expect(paths(args)).toEqual([path]);
  });

  it.each([
    { headers: { Authorization: 'Bearer {{ $blueprint.token }}' } },
    { headers: { Authorization: '{{ .login.json.token }}', Accept: 'application/json' } },
    { headers: { 'X-Api-Key': '[left out]', cookie: '' } },
    { auth: { integrationId: '06e1h9' }, url: 'https://api.example/?page=1&token={{ .login.token }}' },
    { url: '{{ $prev.args.url }}?api_key=' },
    { text: 'Tokens are basic things', body: { tokens: 7 } },
    { text: 'Basic things are tokens', body: [{ name: 'page', value: 'abc' }] },
    { url: 'https://api.example/a:b@c' },
  ])('is not found: %j', (args) => {
    expect(paths(args)).toEqual([]);
  });

  it('is reported a bounded number of times', () => {
    const headers = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}-token`, 'abc']));
    expect(paths({ headers })).toHaveLength(20);
  });
});
