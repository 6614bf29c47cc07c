import { describe, expect, it } from 'vitest';
import { hasSecret, toKindBody, valuesOf } from './kinds';

describe('the form of a link', () => {
  it('sends secrets, settings and scopes where they belong', () => {
    const values = { token_url: 'https://as.example/t', client_id: 'id', client_secret: 's', scopes: ' a  b ' };
    expect(toKindBody('oauth2_client_credentials', values)).toEqual({
      kind: 'oauth2_client_credentials',
      client_secret: 's',
      scopes: ['a', 'b'],
      settings: { token_url: 'https://as.example/t', client_id: 'id' },
    });
    expect(toKindBody('bearer', { access_token: 'x', header: 'left from another kind' })).toEqual({
      ...{ kind: 'bearer', access_token: 'x' },
    });
    expect(toKindBody('basic', { username: 'u' })).toEqual({ kind: 'basic', username: 'u', password: '' });
  });

  it('keeps settings that it does not ask for', () => {
    const before = { header: 'X-Sign', encoding: 'base64' } as const;
    expect(toKindBody('hmac', { ...valuesOf(before, []), access_token: 'k' }, before)).toMatchObject({
      settings: { header: 'X-Sign', encoding: 'base64' },
    });
  });

  it('knows whether there is a new secret', () => {
    expect(hasSecret(valuesOf({ header: 'X-Key' }, ['a']))).toBe(false);
    expect(hasSecret({ username: 'u' })).toBe(true);
  });
});
