import { describe, expect, it } from 'vitest';
import { HIDDEN } from '@weft/runs';
import { readHookBody, withoutCredentials } from './read-hook.js';

const HIDDEN_NAMES = [
  ...['x-functions-key', 'ocp-apim-subscription-key', 'x-webhook-key', 'x-bearer', 'x-passwd', 'x-auth', 'x-user-auth'],
  ...['x-otp', 'x-pin', 'x-sid', 'authorization', 'cookie', 'x-api-key', 'x-gitlab-token', 'x-hub-signature-256'],
  ...['key', 'code', 'sig', 'auth', 'pwd', 'sid', 'access_token', 'client_secret', 'Password'],
  ...['x-authorization', 'x-forwarded-authorization', 'x-authentication', 'Authentication', 'pass', 'x-api-pass'],
];
const SHOWN_NAMES = [
  ...['content-type', 'user-agent', 'x-github-event', 'x-github-delivery', 'idempotency-key', 'x-shop-domain'],
  ...['topic', 'page', 'keyword', 'authority', 'signal', 'encoding', 'bypass'],
];

describe('the headers and query parameters of a delivery', () => {
  it('are hidden under names that indicate credentials, and others are shown', () => {
    const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'value']));
    expect(withoutCredentials(named(HIDDEN_NAMES))).toEqual(
      Object.fromEntries(HIDDEN_NAMES.map((name) => [name, HIDDEN])),
    );
    expect(withoutCredentials(named(SHOWN_NAMES))).toEqual(named(SHOWN_NAMES));
  });

  it('are hidden or shown as the trigger says, in any case of letters', () => {
    const known = new Map([
      ['x-customer', true],
      ['x-sid', false],
    ]);
    const shown = withoutCredentials({ 'x-customer': 'a', 'X-Customer': ['b'], 'x-sid': 'c' }, known);
    expect(shown).toEqual({ 'x-customer': HIDDEN, 'X-Customer': HIDDEN, 'x-sid': 'c' });
  });
});

describe('a form with files', () => {
  it('is refused with more parts than it may have, also when they are empty', async () => {
    const part = '--b\r\ncontent-disposition: form-data; name=a; filename=""\r\n\r\n\r\n';
    const form = (parts: number) =>
      readHookBody(
        { body: Buffer.from(`${part.repeat(parts)}--b--`), contentType: 'multipart/form-data; boundary=b' },
        false,
        () => Promise.reject(new Error('there is no file')),
      );
    expect(await form(1_000)).toEqual({});
    await expect(form(1_001)).rejects.toMatchObject({ code: 'invalid_body' });
  });
});
