import { Metrics } from '@weft/observability';
import { COMPANIES, CompanyRepository, type CompanyDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import { bsonBytes } from '@weft/kernel';
import { PayloadStore, PLAYS } from '@weft/store';
import { expect, it } from 'vitest';
import { liveApi, type Person } from '../../../../test/api/live-api.js';
import { playFixtures } from '../../../../test/fixtures/old-plays.js';
import { StoredBytes } from './stored-bytes.js';

const { mongo, person } = await liveApi();
const payloads = new PayloadStore(mongo);
const metrics = new Metrics();
const stored = new StoredBytes(mongo, new CompanyRepository(mongo), payloads, metrics);
const companies = mongo.collection<CompanyDocument>(COMPANIES);

async function keep({ scope, userId: by }: Person, bytes: number): Promise<void> {
  const content = (async function* () {
    yield Buffer.alloc(bytes);
  })();
  await payloads.userFiles.take(scope, content, { contentType: 'text/plain', filename: null, by });
}

const measuredOf = async ({ scope }: Person) => (await companies.findOne({ _id: scope.companyId }))?.stored;

it('measures what each company stores: where it is limited each minute, elsewhere each hour', async () => {
  const [limited, other] = [await person('admin'), await person('admin')];
  await companies.updateOne({ _id: limited.scope.companyId }, { $set: { bytes_max: 100 } });
  await keep(limited, 300);
  await keep(limited, 12);
  await keep(other, 7);
  const go = new AbortController().signal;
  await stored.measure(go);
  expect([(await measuredOf(limited))?.bytes, (await measuredOf(other))?.bytes]).toEqual([312, 7]);
  expect(await metrics.page()).toContain(`weft_company_stored_bytes{company_id="${limited.scope.companyId}"} 312`);
  await keep(limited, 1);
  await keep(other, 1);
  await stored.measure(go);
  expect((await measuredOf(limited))?.bytes).toBe(312);
  await companies.updateMany({}, { $set: { 'stored.at': new Date(Date.now() - 120_000) } });
  await stored.measure(go);
  expect([(await measuredOf(limited))?.bytes, (await measuredOf(other))?.bytes]).toEqual([313, 7]);
});

it('measures the others although one takes longer than there is time', async () => {
  const [large, other] = [await person('admin'), await person('admin')];
  const measuredAgo = async ({ scope }: Person, ms: number) =>
    companies.updateOne({ _id: scope.companyId }, { $set: { 'stored.at': new Date(Date.now() - ms) } });
  await measuredAgo(large, 9_000_000);
  await measuredAgo(other, 8_000_000);
  await keep(other, 7);
  const bytesOf: PayloadStore['bytesOf'] = async (scope, within) => {
    if (scope.companyId === large.scope.companyId) throw new Error('out of time');
    return payloads.bytesOf(scope, within);
  };
  const hurried = new StoredBytes(mongo, new CompanyRepository(mongo), { bytesOf } as PayloadStore, metrics);
  await expect(hurried.measure(new AbortController().signal)).rejects.toThrow('out of time');
  await hurried.measure(new AbortController().signal);
  expect((await measuredOf(other))?.bytes).toBe(7);
});

const playsOf = async ({ scope }: Person) => (await companies.findOne({ _id: scope.companyId }))?.stored_plays;
const go = new AbortController().signal;

it('measures what plays take, where bytes are limited each minute, elsewhere each hour', async () => {
  const [limited, other] = [await person('admin'), await person('admin')];
  await companies.updateOne({ _id: limited.scope.companyId }, { $set: { bytes_max: 100 } });
  const made = new Map([limited, other].map((one) => [one, playFixtures(mongo, one.scope, Date.now())]));
  for (const fixtures of made.values()) await fixtures.plays(3, { ageMs: 1_000, layers: 2 });
  await stored.measurePlays(go);
  const found = await mongo.collection<Play>(PLAYS).find({ company_id: other.scope.companyId }).toArray();
  const bytes = found.reduce((sum, play) => sum + bsonBytes(play), 0);
  expect((await playsOf(other))?.bytes).toBe(bytes);
  await stored.measure(go);
  expect(await metrics.page()).toContain(`weft_company_stored_bytes{company_id="${other.scope.companyId}"} ${bytes}`);
  const restsFor = async (one: Person) => {
    const { at, again_at } = (await playsOf(one)) ?? { at: new Date(0), again_at: new Date(0) };
    return Math.round((again_at.getTime() - at.getTime()) / 60_000);
  };
  expect([await restsFor(limited), await restsFor(other)]).toEqual([1, 60]);
  for (const fixtures of made.values()) await fixtures.plays(1, { ageMs: 1_000 });
  await companies.updateOne({ _id: other.scope.companyId }, { $set: { 'stored_plays.again_at': new Date() } });
  const before = (await playsOf(limited))?.bytes;
  await stored.measurePlays(go);
  expect((await playsOf(limited))?.bytes).toBe(before);
  expect((await playsOf(other))?.bytes).toBeGreaterThan(bytes);
});
