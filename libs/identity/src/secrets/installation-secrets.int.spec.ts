import type { Settings } from '@weft/config';
import {
  AUDIT_LOGS,
  deriveAuditKey,
  ensureIndexes,
  INTEGRATIONS,
  Mongo,
  OAUTH_PROVIDERS,
  recordAudit,
  SECRET_CHECKS,
  type AuditDocument,
} from '@weft/persistence';
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
const providers = mongo.collection<{ _id: string; client_secret: string }>(OAUTH_PROVIDERS);

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
    ...[checks, links, providers].map((each) => each.deleteMany({})),
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

describe('on a database from before there were checks', () => {
  it.each([
    ['a token of an integration', () => sealLink('a', 'l1')],
    [
      'the client secret of a provider',
      async () => {
        const place = { companyId: null, collection: OAUTH_PROVIDERS, recordId: 'p1', field: 'client_secret' };
        await providers.insertOne({ _id: 'p1', client_secret: new SecretBox(secrets('a')).seal(place, 'secret') });
      },
    ],
    ['the signature of an audit entry', () => audit(mongo, 1)],
  ])('only a process that opens %s starts, and makes its secrets the installation’s', async (_what, store) => {
    await store();
    expect(await start('b')).toBe('foreign');
    expect(await checks.countDocuments()).toBe(0);
    expect([await start('a'), await start('b'), await start('a')]).toEqual(['starts', 'foreign', 'starts']);
  });

  it('a rotation that is under way goes on: both secrets are in use where something is sealed under both', async () => {
    await sealLink('a', 'l1');
    await sealLink('b', 'l2');
    expect([await start('b', 'a', '0'), await start('b'), await start('b', 'a')]).toEqual([
      'starts',
      'one missing',
      'starts',
    ]);
  });

  it('a process that joined once with other secrets and left some entries does not become the right one', async () => {
    await audit(mongo, 30);
    await audit(foreign, 10);
    expect([await start('f'), await start('a')]).toEqual(['foreign', 'starts']);
  });

  it('what was sealed under a secret that is lost keeps nobody out', async () => {
    await sealLink('0', 'l1');
    await audit(mongo, 5);
    expect(await start('a')).toBe('starts');
  });

  it('and on one whose check was taken away, it is as at the upgrade', async () => {
    await start('a');
    await audit(mongo, 1);
    await checks.deleteMany({});
    expect([await start('b'), await start('a'), await start('b')]).toEqual(['foreign', 'starts', 'foreign']);
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
