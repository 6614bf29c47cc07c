import { describe, expect, it } from 'vitest';
import { withParameters, withoutParameter } from './query-text.js';

const SIGNED = 'https://a.example/own?sig=a%20b%2Bc&flag&x=~(1)&p=a%2Fb&e=&&q=%zz';

describe('a parameter of an address', () => {
  it.each([
    [SIGNED, [['page', '2']], `${SIGNED}&page=2`],
    ['https://a.example', [['q', 'a b+c&d=e#f']], 'https://a.example/?q=a%20b%2Bc%26d%3De%23f'],
    ['https://a.example/?', [['a', '1']], 'https://a.example/?a=1'],
    ['https://a.example/?a=1&', [['b', '']], 'https://a.example/?a=1&b='],
    [
      'https://a.example/?a=+#part',
      [
        ['ids[]', '1'],
        ['ids[]', 'ü'],
      ],
      'https://a.example/?a=+&ids%5B%5D=1&ids%5B%5D=%C3%BC#part',
    ],
    ['https://a.example/', [['x', '\ud800']], 'https://a.example/?x=%EF%BF%BD'],
    ['no address', [['a', '1']], 'no address'],
    ['HTTPS://A.example', [], 'HTTPS://A.example'],
  ] as const)('is added to %j', (address, parameters, expected) => {
    expect(withParameters(address, parameters)).toBe(expected);
  });

  it.each([
    [`${SIGNED}&page=2`, 'page', SIGNED],
    [SIGNED, 'flag', SIGNED.replace('&flag', '')],
    ['https://a.example/?%70age=1&a%20b&page&page=3', 'page', 'https://a.example/?a%20b'],
    ['https://a.example/?a+b=1&c=+', 'a b', 'https://a.example/?c=+'],
    ['https://a.example/?page=1', 'page', 'https://a.example/'],
    ['https://a.example/?x=page', 'page', 'https://a.example/?x=page'],
    ['no address', 'page', 'no address'],
  ])('is removed from %j: %s', (address, name, expected) => {
    expect(withoutParameter(address, name)).toBe(expected);
  });
});
