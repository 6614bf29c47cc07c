import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Mongo, SystemScope } from '@weft/store';
import { LEASES, type LeaseDocument } from './lease.schema.js';
import { LeasesRepository } from './leases.repository.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
const leases = new LeasesRepository(mongo);
const stored = mongo.collection<LeaseDocument>(LEASES);
const ALL = new SystemScope('spec');
const take = (holder: string, forMs = 60_000) => leases.take(ALL, { name: 'one', holder }, forMs);
beforeEach(() => stored.deleteMany({}));

describe('a lease', () => {
  it('is one holder’s, however many ask at once', async () => {
    const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => take(`holder ${i}`)));
    expect(asked.filter((isMine) => isMine)).toHaveLength(1);
  });

  it('is kept by its holder, and is another’s when it is over', async () => {
    expect([await take('a'), await take('b'), await take('a', 0), await take('b'), await take('a')]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(await leases.held(ALL, ['one', 'other'])).toEqual(new Set(['one']));
  });

  it('is renewed by its holder alone, also late while nobody has taken it', async () => {
    await take('a', 0);
    expect(await leases.renew(ALL, ['one'], 'b', 60_000)).toEqual(new Set());
    expect(await leases.held(ALL, ['one'])).toEqual(new Set());
    expect(await leases.renew(ALL, ['one', 'other'], 'a', 60_000)).toEqual(new Set(['one']));
    expect(await leases.held(ALL, ['one'])).toEqual(new Set(['one']));
  });

  it('is free when its holder releases it, and only then', async () => {
    await take('a');
    await leases.release(ALL, ['one'], 'b');
    expect(await take('b')).toBe(false);
    await leases.release(ALL, ['one'], 'a');
    expect(await take('b')).toBe(true);
  });

  it('is measured by MongoDB’s clock, whatever that of the process shows', async () => {
    const skewed = Object.create(mongo, { serverNow: { value: () => Date.now() + 3_600_000 } }) as Mongo;
    await take('a');
    expect(await new LeasesRepository(skewed).take(ALL, { name: 'one', holder: 'b' }, 60_000)).toBe(false);
  });
});
