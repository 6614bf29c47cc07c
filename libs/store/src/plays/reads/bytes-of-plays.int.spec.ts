import type { Play } from '@weft/engine';
import { bsonBytes } from '@weft/kernel';
import { ensureIndexes } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { playFixtures } from '../../../../../test/fixtures/old-plays.js';
import { readsOfPlays } from '../../../../../test/fixtures/reads-of-plays.js';
import { Mongo, PLAYS, TenantScope, bytesOfPlays } from '../../index.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const plays = mongo.collection<Play>(PLAYS);
const go = new AbortController().signal;
const FEW = { weighedAll: 100, weighed: 16 };
let nth = 0;
let company = new TenantScope('none');
let made = playFixtures(mongo, company, 0);

beforeEach(async () => {
  nth += 1;
  company = new TenantScope(`company-${nth}`);
  made = playFixtures(mongo, company, Date.now());
  await playFixtures(mongo, new TenantScope(`other-${nth}`), Date.now()).plays(100, { ageMs: 1_000 });
});

async function sizes(): Promise<number[]> {
  return (await plays.find({ company_id: company.companyId }).toArray()).map((play) => bsonBytes(play));
}
const sumOf = (all: readonly number[]) => all.reduce((sum, size) => sum + size, 0);

it('weighs each play of a company with few', async () => {
  expect(await bytesOfPlays(mongo, company, go, FEW)).toBe(0);
  await made.plays(60, { ageMs: 9_000, layers: 3 });
  await made.plays(40, { ageMs: 1_000 });
  expect(await bytesOfPlays(mongo, company, go, FEW)).toBe(sumOf(await sizes()));
});

it('counts many exactly, and weighs some', async () => {
  await made.plays(3_333, { ageMs: 1_000 });
  const all = await sizes();
  expect(new Set(all).size).toBe(1);
  let bytes = 0;
  const { examined } = await readsOfPlays(mongo, async () => (bytes = await bytesOfPlays(mongo, company, go, FEW)));
  expect(bytes).toBe(sumOf(all));
  expect(examined).toBeLessThanOrEqual(FEW.weighed);
});

it('weighs plays of all times alike', async () => {
  for (let layers = 0; layers < 10; layers += 1) await made.plays(400, { ageMs: (20 - layers) * 60_000, layers });
  const ratio = (await bytesOfPlays(mongo, company, go, FEW)) / sumOf(await sizes());
  expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
});
