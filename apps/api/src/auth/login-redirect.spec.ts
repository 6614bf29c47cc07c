import { describe, expect, it } from 'vitest';
import { loginLocation, prefersHtml } from './login-redirect.js';

const accepts: readonly [string | undefined, boolean][] = [
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html', true],
  ['TEXT/HTML;q=0.5', true],
  ['text/html;q=0.5, application/json;q=0.4', true],
  ['text/html;q=0.5, application/json', false],
  ['application/json, text/html', false],
  ['text/html, application/json', true],
  ['text/html;q=0', false],
  ['*/*', false],
  ['application/json', false],
  ['', false],
  [undefined, false],
];

describe('who is shown the sign-in page', () => {
  for (const [accept, prefers] of accepts) {
    it(`is ${prefers ? '' : 'not '}a caller with Accept: ${accept ?? '(none)'}`, () => {
      expect(prefersHtml(accept)).toBe(prefers);
    });
  }

  it('comes back to what was read, and to the start from anything else', () => {
    expect(loginLocation({ method: 'GET', url: '/flows?a=1&b=//x' })).toBe(
      '/login?returnTo=%2Fflows%3Fa%3D1%26b%3D%2F%2Fx',
    );
    expect(loginLocation({ method: 'POST', url: '/api/v1/flows' })).toBe('/login?returnTo=%2F');
  });
});
