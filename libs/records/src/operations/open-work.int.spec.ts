import { PLAYS, Mongo, SystemScope } from '@weft/store';
import type { Play } from '@weft/engine';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { COMPANIES, type CompanyDocument } from '../people/company.schema.js';
import { OpenWorkRepository } from './open-work.repository.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const waitingOf = (companyId: string, count: number): Play[] =>
  Array.from({ length: count }, (_, i) => ({ ...aPlay({ playId: `${companyId}${i}`, companyId }), ready: true }));

it('names the companies with the most waiting plays, and reads no more of each than it counts', async () => {
  const waiting = [waitingOf('a', 3), waitingOf('b', 500), waitingOf('c', 1), waitingOf('d', 5)];
  await mongo.collection<Play>(PLAYS).insertMany(waiting.flat());
  await mongo.collection<Pick<CompanyDocument, '_id' | 'name'>>(COMPANIES).insertOne({ _id: 'b', name: 'Floods' });
  await mongo.db.command({ profile: 2 });

  const found = await new OpenWorkRepository(mongo).waitingCompanies(new SystemScope('a spec'), 3, 4);
  await mongo.db.command({ profile: 0 });
  expect(found).toEqual([
    { companyId: 'b', name: 'Floods', waiting: 4, isCapped: true },
    { companyId: 'd', name: '', waiting: 4, isCapped: true },
    { companyId: 'a', name: '', waiting: 3, isCapped: false },
  ]);
  const profile = mongo.collection<{ keysExamined: number; docsExamined: number }>('system.profile');
  const asked = await profile.find({ ns: `${db}.${PLAYS}` }).toArray();
  expect(asked).toHaveLength(9); // to each company and to the end; and a count of each
  expect(asked.filter(({ docsExamined, keysExamined }) => docsExamined > 0 || keysExamined > 5)).toEqual([]);
});
