import type { Settings } from '@weft/config';
import { AUDIT_LOGS, deriveAuditKey, Mongo, recordAudit, type AuditDocument } from '@weft/store';
import { ensureIndexes, INTEGRATIONS, SECRET_CHECKS } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ForeignSecrets, InstallationSecrets } from './installation-secrets.js';
import { rotateSecrets } from './rotate-secrets.js';
import { SecretBox } from './secret-box.js';

const { uri, db } = liveMongo();
const SALT = '5'.repeat(64);
const secrets = (present: string, ...previous: string[]): Settings['secrets'] => ({
  encKeySecret: present.repeat(64),
  encKeySecretPrevious: previous.map((digit) => digit.repeat(64)),
  envKeySalt: SALT,
});
const openAs = (digit: string) =>
  Mongo.open({ uri, db, appName: 'spec', auditKey: deriveAuditKey(digit.repeat(64), SALT) });
const [mongo, foreign] = await Promise.all([openAs('a'), openAs('f')]);
await ensureIndexes(mongo);
afterAll(() => Promise.all([mongo.close(), foreign.close()]));

const checks = mongo.collection(SECRET_CHECKS);
const links = mongo.collection<{ _id: string; CompanyID: string; AccessToken: string }>(INTEGRATIONS);

/** What becomes of a process with these secrets. */
async function start(present: string, ...previous: string[]): Promise<'starts' | 'foreign' | 'one missing'> {
  try {
    await new InstallationSecrets(mongo, secrets(present, ...previous)).assertOurs();
    return 'starts';
  } catch (error) {
    if (!(error instanceof ForeignSecrets)) throw error;
    return error.message.includes('one more ENC_KEY_SECRET') ? 'one missing' : 'foreign';
  }
}

async function sealLink(digit: string, id: string): Promise<void> {
  const place = { companyId: 'c1', collection: INTEGRATIONS, recordId: id, field: 'AccessToken' };
  const AccessToken = new SecretBox(secrets(digit)).seal(place, 'token');
  await links.insertOne({ _id: id, CompanyID: 'c1', AccessToken });
}

async function audit(by: Mongo, count: number): Promise<void> {
  const entry = { action_type: 'flow_created', collection: 'flows', company_id: 'c1' } as const;
  const entries = Array.from({ length: count }, () => ({ ...entry, resource_type: 'flow', resource_id: 'f1' }));
  await by.transaction((session) => recordAudit(session, ...entries));
}

beforeEach(async () => {
  await Promise.all([
    ...[checks, links].map((each) => each.deleteMany({})),
    mongo.collection<AuditDocument>(AUDIT_LOGS).deleteMany({}),
  ]);
});

describe('on an empty database', () => {
  it('the secrets of the first process are the installation’s, and no others start', async () => {
    expect(await start('a')).toBe('starts');
    expect([await start('a'), await start('b')]).toEqual(['starts', 'foreign']);
    const other = { ...secrets('a'), envKeySalt: '6'.repeat(64) };
    await expect(new InstallationSecrets(mongo, other).assertOurs()).rejects.toThrow(ForeignSecrets);
  });

  it('one secret wins, however many processes start at once with different ones', async () => {
    const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'a', 'b'].map((digit) => start(digit)));
    const winner = ['a', 'b', 'c', 'd'][outcomes.indexOf('starts') % 4];
    expect(outcomes.map((outcome) => outcome === 'starts')).toEqual(
      ['a', 'b', 'c', 'd', 'a', 'b'].map((digit) => digit === winner),
    );
    expect(await checks.countDocuments()).toBe(1);
  });
});

describe('while the secret is changed', () => {
  it('a process starts with all that are in use, and with none less', async () => {
    await start('a');
    expect([await start('a', 'b'), await start('b', 'a'), await start('a', 'b')]).toEqual([
      'starts',
      'starts',
      'starts',
    ]);
    expect([await start('a'), await start('b')]).toEqual(['one missing', 'one missing']);
    // a slip of the pen in the new one
    expect([await start('c', 'a'), await start('c', 'b')]).toEqual(['one missing', 'one missing']);
  });

  it('one new secret wins where two come at once', async () => {
    await start('a');
    const outcomes = await Promise.all([start('b', 'a'), start('c', 'a')]);
    expect(outcomes.sort()).toEqual(['one missing', 'starts']);
  });

  it('the earlier one can go after a rotation, and not before', async () => {
    await start('a');
    await sealLink('a', 'l1');
    await start('b', 'a');
    const installation = new InstallationSecrets(mongo, secrets('b', 'a'));
    await rotateSecrets(mongo, new SecretBox(secrets('b', 'a')));
    expect(await start('b')).toBe('one missing');
    await installation.forgetEarlier();
    expect([await start('b'), await start('a'), await start('b', 'a')]).toEqual(['starts', 'foreign', 'starts']);
  });
});

describe('an installation whose secret is lost', () => {
  it('starts with another one after somebody said so, and that is in its audit log', async () => {
    await start('a');
    await audit(mongo, 5);
    expect(await start('f')).toBe('foreign');
    await new InstallationSecrets(foreign, secrets('f')).takeOver();
    expect([await start('f'), await start('a')]).toEqual(['starts', 'foreign']);
    const entry = await mongo.collection<AuditDocument>(AUDIT_LOGS).findOne({ action_type: 'config_changed' });
    expect(entry).toMatchObject({ company_id: null, resource_id: 'secrets.enc_key_secret' });
  });
});
