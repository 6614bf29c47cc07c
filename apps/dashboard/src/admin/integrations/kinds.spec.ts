import { describe, expect, it } from 'vitest';
import {
  areComplete,
  areOther,
  fieldsOf,
  hasSecret,
  isOther,
  namesIn,
  rowsOf,
  toHeadersBody,
  toKindBody,
  valuesOf,
  withRow,
} from './kinds';

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

  it('sends several secrets under their names', () => {
    const values = { region: 'eu-1', service: 's3', access_key_id: 'id', secret_access_key: 'key', session_token: '' };
    expect(toKindBody('aws_sigv4', { ...values, path_style: 'false', sign_payload: 'unsigned' })).toEqual({
      kind: 'aws_sigv4',
      secrets: { access_key_id: 'id', secret_access_key: 'key' },
      settings: { region: 'eu-1', service: 's3', path_style: false, sign_payload: 'unsigned' },
    });
    expect(hasSecret({ secret_access_key: 'k' })).toBe(true);
  });

  it('shows the rows of a link as they are, and a secret for each name in them', () => {
    const headers = { 'X-Key': '{{api_key}}', Cookie: 'a={{ app }}; b={{api_key}}' };
    const rows = rowsOf({ headers });
    expect(rows.flatMap(({ text }) => namesIn(text))).toEqual(['api_key', 'app', 'api_key']);
    expect(areOther(rows, { headers })).toBe(false);
    expect(toHeadersBody(withRow(rows), { api_key: 'a', app: 'b' })).toEqual({
      kind: 'headers',
      secrets: { api_key: 'a', app: 'b' },
      settings: { headers },
    });
    expect(withRow(withRow([{ header: 'X', text: '{{key_2}}' }])).map(({ text }) => text)).toEqual([
      '{{key_2}}',
      '{{key_1}}',
      '{{key_3}}',
    ]);
  });

  it('is complete when each header that was begun has its keys', () => {
    const row = { header: ' X-Key ', text: '{{key_1}}' };
    const begun = { header: '', text: '{{key_2}}' };
    for (const [rows, secrets, isComplete] of [
      [[row], { key_1: 'a' }, true],
      [[row, begun], { key_1: 'a' }, true],
      [[row, begun], { key_1: 'a', key_2: 'b' }, false],
      [[row], {}, false],
      [[{ ...row, text: 'no key' }], {}, false],
      [rowsOf({}), {}, false],
    ] as const) {
      expect(areComplete(rows, secrets)).toBe(isComplete);
    }
    expect(toHeadersBody([row], { key_1: 'a' }).settings).toEqual({ headers: { 'X-Key': '{{key_1}}' } });
  });

  it('knows whether the settings change, and drops one that is emptied', () => {
    const before = { region: 'eu-1', service: 's3', role_arn: 'arn:aws:iam::1:role/a', path_style: false };
    const values = valuesOf(before, []);
    expect(isOther('aws_sigv4', { ...values, access_key_id: 'new' }, values)).toBe(false);
    const without = { ...values, role_arn: '' };
    expect(isOther('aws_sigv4', without, values)).toBe(true);
    expect(toKindBody('aws_sigv4', { ...without, path_style: '' }, before).settings).toEqual({
      ...{ region: 'eu-1', service: 's3' },
    });
  });

  it('knows whether there is a new secret', () => {
    expect(hasSecret(valuesOf({ header: 'X-Key' }, ['a']))).toBe(false);
    expect(hasSecret({ username: 'u' })).toBe(true);
  });
});

describe('the form of a link to a database', () => {
  it.each(['postgres://db.example.com:5432/shop', 'mysql://db.example.com/shop', 'mariadb://db.example.com/shop'])(
    'asks for what a database has, and others for none of it: %s',
    (endpoint) => {
      const names = (address: string) => fieldsOf('basic', address).map(({ name }) => name);
      expect(names(endpoint)).toEqual(['username', 'password', 'tls', 'ca', 'read_only', 'schema', 'pool']);
      expect(names('https://api.example.com')).toEqual(['username', 'password']);
    },
  );

  it('sends its settings in their types, and shows them again', () => {
    const texts = { tls: 'require', read_only: 'true', schema: 'sales', pool: '2' };
    const settings = { tls: 'require', read_only: true, schema: 'sales', pool: 2 } as const;
    const values = { username: 'u', password: 'p', ...texts };
    expect(toKindBody('basic', values, {}, 'mysql://db.example.com/shop')).toMatchObject({ settings });
    expect(valuesOf(settings, [])).toMatchObject(texts);
  });
});
