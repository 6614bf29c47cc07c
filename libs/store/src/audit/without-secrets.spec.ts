import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './without-secrets.js';

describe('withoutSecrets', () => {
  it('hides values under names that mean a secret, at any depth and in any case', () => {
    const changes = {
      layer: {
        before: null,
        after: {
          args: { url: 'https://x', headers: { Authorization: 'Bearer abc', 'X-Api-Key': 'k', Accept: '*/*' } },
        },
      },
    };
    expect(withoutSecrets(changes)).toEqual({
      layer: {
        before: null,
        after: {
          args: { url: 'https://x', headers: { Authorization: '[secret]', 'X-Api-Key': '[secret]', Accept: '*/*' } },
        },
      },
    });
  });

  it('keeps before and after of a secret field, so that its change shows', () => {
    expect(withoutSecrets({ client_secret: { before: null, after: 'abc' } })).toEqual({
      client_secret: { before: null, after: '[secret]' },
    });
  });

  it('leaves names that only resemble one', () => {
    const changes = { tokensIn: { before: 1, after: 2 }, author: { before: 'a', after: new Date(0) } };
    expect(withoutSecrets(changes)).toEqual(changes);
  });
});
