import { loadSettings } from '@weft/config';
import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { RunTimeSettings, SETTINGS_COLLECTION, USERS, type SettingDocument, type UserDocument } from '@weft/records';
import { processEnv } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Answer } from '../../../../test/api/live-api.js';

const INNER = { WEFT_ADMIN_EMAIL: 'root@inner.test', EGRESS_ALLOW: '10.1.2.0/24:99', TRUST_PROXY: '10.9.8.7/32' };
const { mongo, person, signIn, send } = await liveApi(INNER);
const PATH = '/api/v1/admin/config';
const stored = mongo.collection<SettingDocument>(SETTINGS_COLLECTION);
const op = await person('admin');
await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });

interface Item {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly source: string;
  readonly changeable: boolean;
}

function item(answer: Answer, key: string): Item | undefined {
  return (answer.body.items as unknown as Item[]).find((each) => each.key === key);
}

const change = (body: unknown) => op.send('PATCH', PATH, { body });

afterEach(() => change({ 'session.ttl_hours': null, 'logging.level': null, 'retention.cleanup_interval': null }));

describe('the configuration', () => {
  it('shows an admin what is in effect and where it comes from, and no secret', async () => {
    const admin = await person('admin');
    const answer = await admin.send('GET', PATH);
    expect(answer.status).toBe(200);
    expect(item(answer, 'session.ttl_hours')).toEqual({
      key: 'session.ttl_hours',
      value: 1,
      default: 1,
      source: 'default',
      changeable: true,
    });
    expect(item(answer, 'session.cookie_secure')).toMatchObject({ value: false, default: true, source: 'environment' });
    expect(item(answer, 'mongodb.uri')).toMatchObject({ value: '[secret]', default: null, changeable: false });
    expect(item(answer, 'server.metrics_token')).toMatchObject({ value: null, source: 'default' });
    const text = JSON.stringify(answer.body);
    const { ENC_KEY_SECRET, MONGODB_URI, WEFT_ADMIN_PASSWORD } = processEnv({
      mongodbUri: 'mongodb://',
      mongodbDb: 'db',
      redisUrl: 'redis://',
      queuePrefix: 'p',
    });
    for (const secret of [ENC_KEY_SECRET, MONGODB_URI, WEFT_ADMIN_PASSWORD]) expect(text).not.toContain(secret);
    const changeable = (answer.body.items as unknown as Item[]).filter((each) => each.changeable);
    expect(changeable.map(({ key }) => key)).toEqual([
      'logging.level',
      'session.ttl_hours',
      'retention.cleanup_interval',
    ]);
    const editor = await person('flow_editor');
    expect((await editor.send('GET', PATH)).body.code).toBe('denied');
  });

  it('tells an operator, not an admin of one of the companies, where things of the installation lie', async () => {
    const keys = ['admin.email', 'egress.allow', 'server.trust_proxy', 'mongodb.db', 'tracing.endpoint'];
    const shown = (answer: Answer): unknown[] => keys.map((key) => item(answer, key)?.value);
    const admin = await person('admin');
    const theirs = await admin.send('GET', PATH);
    const hidden = '[operators only]';
    expect(shown(theirs)).toEqual([hidden, hidden, hidden, hidden, '']);
    expect(JSON.stringify(theirs.body)).not.toMatch(/inner\.test|10\.1\.2|10\.9\.8/);
    expect(shown(await op.send('GET', PATH))).toMatchObject([INNER.WEFT_ADMIN_EMAIL, [{}], [{}], /./, '']);
  });

  it.each(['api', 'api:read', 'read'])('is read, not changed, with a key of scope %s', async (scope) => {
    const { body } = await op.send('POST', '/api/v1/admin/api-keys', { body: { name: scope, scope } });
    const headers = { authorization: `Bearer ${textOf(body.token)}` };
    expect((await send('GET', PATH, { headers })).status).toBe(200);
    const refused = await send('PATCH', PATH, { headers, body: { 'logging.level': 'debug' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('is changed by operators, with an audit entry, and taken back with null', async () => {
    const admin = await person('admin');
    const refused = await admin.send('PATCH', PATH, { body: { 'logging.level': 'debug' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'operator_required' } });
    const body = { 'session.ttl_hours': 2, 'retention.cleanup_interval': '5m' };
    const changed = await op.send('PATCH', PATH, { body, headers: { 'x-request-id': 'change-1' } });
    expect(item(changed, 'session.ttl_hours')).toMatchObject({ value: 2, default: 1, source: 'run time' });
    expect(item(changed, 'retention.cleanup_interval')).toMatchObject({ value: '5m', source: 'run time' });
    const entry = await mongo
      .collection<AuditDocument>(AUDIT_LOGS)
      .findOne({ action_type: 'config_changed', request_id: 'change-1' });
    expect(entry).toMatchObject({
      UserID: op.userId,
      changes: {
        'session.ttl_hours': { before: 1, after: 2 },
        'retention.cleanup_interval': { before: '2m', after: '5m' },
      },
    });
    expect(item(await change({ 'session.ttl_hours': null }), 'session.ttl_hours')).toMatchObject({
      value: 1,
      source: 'default',
    });
  });

  it('gives new sessions the changed TTL', async () => {
    const one = await person('viewer');
    await change({ 'session.ttl_hours': 2.5 });
    const cookie = await signIn(one.userId, one.scope.companyId);
    const { body } = await send('GET', '/api/v1/auth/me', { headers: { cookie } });
    const leftMs = Date.parse(textOf(body.expires_at)) - Date.now();
    expect(leftMs).toBeGreaterThan(2.4 * 3_600_000);
    expect(leftMs).toBeLessThanOrEqual(2.5 * 3_600_000);
  });

  const refusals: readonly [string, unknown, number, string][] = [
    ['what is read at the start only', { 'logging.level': 'debug', 'server.port': 1 }, 422, 'not_changeable'],
    ['what is no setting', { 'server.colour': 'red' }, 400, 'unknown_field'],
    ['a name from the prototype', { constructor: 1 }, 400, 'unknown_field'],
    ['a value that the setting cannot have', { 'logging.level': 'loud' }, 400, 'invalid_body'],
    ['a value of another type', { 'session.ttl_hours': { $gt: 0 } }, 400, 'invalid_body'],
    ['a TTL above the absolute maximum', { 'session.ttl_hours': 25 }, 400, 'invalid_body'],
    ['a list', [1], 400, 'invalid_body'],
  ];
  for (const [what, body, status, code] of refusals) {
    it(`refuses ${what}, and changes nothing`, async () => {
      expect(await change(body)).toMatchObject({ status, body: { code } });
      expect(await stored.countDocuments({ _id: /^config:/ })).toBe(0);
    });
  }

  it('reaches another process that looks, and tells it of what is new only', async () => {
    const told: string[] = [];
    const env = processEnv({ mongodbUri: 'mongodb://h', mongodbDb: 'db', redisUrl: 'redis://h', queuePrefix: 'p' });
    const elsewhere = new RunTimeSettings(mongo, loadSettings(env, { standalone: false }));
    elsewhere.onChange(() => told.push(elsewhere.get('logging.level')));
    await elsewhere.refresh();
    await change({ 'logging.level': 'warn' });
    await elsewhere.refresh();
    await elsewhere.refresh();
    await change({ 'logging.level': null });
    await elsewhere.refresh();
    expect(told).toEqual(['warn', 'info']);
  });
});
