import { Mongo, SystemScope } from '@weft/store';
import {
  ensureIndexes,
  INTEGRATIONS,
  OAUTH_PROVIDERS,
  SEALED_COLLECTIONS,
  SealedFieldsRepository,
} from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { rotateSecrets } from './rotate-secrets.js';
import { SecretBox, SecretUnreadable } from './secret-box.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const hex = (digit: string) => digit.repeat(64);
const boxOf = (encKeySecret: string, encKeySecretPrevious: readonly string[] = []) =>
  new SecretBox({ encKeySecret, encKeySecretPrevious, envKeySalt: hex('5') });
const [old, present] = [boxOf(hex('a')), boxOf(hex('b'), [hex('a')])];

interface Link {
  readonly _id: string;
  readonly CompanyID: string;
  readonly AccessToken: string;
  readonly RefreshToken: string | null;
  readonly ClientSecret?: string | null;
}
const links = mongo.collection<Link>(INTEGRATIONS);
const providers = mongo.collection<{ _id: string; client_secret: string | null }>(OAUTH_PROVIDERS);

const placeOf = (
  { _id, CompanyID }: Pick<Link, '_id' | 'CompanyID'>,
  field: 'AccessToken' | 'RefreshToken' | 'ClientSecret',
) => ({
  companyId: CompanyID,
  collection: INTEGRATIONS,
  recordId: _id,
  field,
});
const secretPlace = { companyId: null, collection: OAUTH_PROVIDERS, recordId: 'p1', field: 'client_secret' };

function linkOf(n: number, box: SecretBox): Link {
  const link = { _id: `link${String(n).padStart(4, '0')}`, CompanyID: `c${n % 3}` };
  return {
    ...link,
    AccessToken: box.seal(placeOf(link, 'AccessToken'), `access ${n}`),
    RefreshToken: n % 2 === 0 ? null : box.seal(placeOf(link, 'RefreshToken'), `refresh ${n}`),
  };
}

const reportOf = async (collection: string) =>
  (await rotateSecrets(mongo, present)).find((each) => each.collection === collection);

beforeEach(async () => {
  await Promise.all([links.deleteMany({}), providers.deleteMany({})]);
});

describe('a rotation of the key', () => {
  it('seals everything again, in batches, and a second one has nothing to do', async () => {
    const stored = Array.from({ length: 450 }, (_, n) => linkOf(n, n === 7 ? present : old));
    await links.insertMany(stored);
    await providers.insertOne({ _id: 'p1', client_secret: old.seal(secretPlace, 'client secret') });
    expect(await reportOf(INTEGRATIONS)).toEqual({
      collection: INTEGRATIONS,
      resealed: 450 + 225 - 2,
      current: 2,
      unreadable: [],
    });
    const alone = boxOf(hex('b'));
    for (const link of await links.find().toArray()) {
      const n = Number(link._id.slice(4));
      expect(alone.open(placeOf(link, 'AccessToken'), link.AccessToken)).toBe(`access ${n}`);
      if (link.RefreshToken) expect(alone.open(placeOf(link, 'RefreshToken'), link.RefreshToken)).toBe(`refresh ${n}`);
    }
    const provider = await providers.findOne({ _id: 'p1' });
    expect(alone.open(secretPlace, provider?.client_secret ?? '')).toBe('client secret');
    expect(await reportOf(INTEGRATIONS)).toMatchObject({ resealed: 0, current: 675 });
  });

  it('covers client secrets of links', async () => {
    const link = linkOf(1, old);
    const place = placeOf(link, 'ClientSecret');
    await links.insertOne({ ...link, ClientSecret: old.seal(place, 'client 1') });
    expect(await reportOf(INTEGRATIONS)).toMatchObject({ resealed: 3, unreadable: [] });
    expect(boxOf(hex('b')).open(place, (await links.findOne({ _id: link._id }))?.ClientSecret ?? '')).toBe('client 1');
  });

  it('names what cannot be read and goes on with the rest', async () => {
    const moved = { ...linkOf(2, old), AccessToken: linkOf(5, old).AccessToken };
    await links.insertMany([linkOf(1, old), moved, linkOf(3, boxOf(hex('c'))), linkOf(4, old)]);
    const report = await reportOf(INTEGRATIONS);
    expect(report).toMatchObject({ resealed: 3, current: 0 });
    expect(report?.unreadable).toHaveLength(3);
    expect(report?.unreadable.join()).toMatch(/AccessToken of integrations link0002.*link0003/);
    expect((await links.findOne({ _id: 'link0002' }))?.AccessToken).toBe(moved.AccessToken);
  });

  it('replaces only the text that it read', async () => {
    const [before, newer] = [linkOf(1, old), linkOf(1, present)];
    await links.insertOne(newer);
    const integrations = SEALED_COLLECTIONS.find(({ collection }) => collection === INTEGRATIONS)!;
    const texts = { before: before.AccessToken, after: present.seal(placeOf(before, 'AccessToken'), 'access 1') };
    const replaced = await new SealedFieldsRepository(mongo).replace(
      new SystemScope('spec'),
      integrations,
      before._id,
      'AccessToken',
      texts,
    );
    expect(replaced).toBe(false);
    expect(await links.findOne({ _id: before._id })).toEqual(newer);
  });
});

describe('a secret in the database', () => {
  it('does not open in the record of another company', async () => {
    const [mine, theirs] = [linkOf(1, old), linkOf(2, old)];
    expect(() => old.open(placeOf(theirs, 'AccessToken'), mine.AccessToken)).toThrow(SecretUnreadable);
  });
});
