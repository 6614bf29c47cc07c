import { Mongo } from '@weft/store';
import type { PassRunner } from '@weft/process';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Glance } from './glance.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
const things = mongo.collection<{ _id: string; dueAt: Date }>('things');
beforeEach(() => things.deleteMany({}));

function glanceAt(...all: readonly (readonly [readonly string[], string])[]) {
  const woken: string[] = [];
  const passes: Pick<PassRunner, 'wake'> = { wake: (name) => void woken.push(name) };
  const glance = new Glance(mongo, passes as PassRunner);
  for (const [names, _id] of all)
    glance.wake(names, (now) => [{ collection: 'things', filter: { _id, dueAt: { $lte: now } } }]);
  return { glance, woken };
}

it('wakes the passes for which there is something, each once', async () => {
  const { glance, woken } = glanceAt([['one', 'two'], 'a'], [['three'], 'b'], [['two', 'four'], 'c'], [['five'], 'a']);
  await glance.look();
  expect(woken).toEqual([]);
  const at = mongo.serverNow();
  await things.insertMany([
    { _id: 'a', dueAt: new Date(at - 60_000) },
    { _id: 'b', dueAt: new Date(at + 60_000) },
    { _id: 'c', dueAt: new Date(at - 60_000) },
  ]);
  await glance.look();
  expect(woken.toSorted()).toEqual(['five', 'four', 'one', 'two']);
});

it('wakes all when it could not look, and says why', async () => {
  const { glance, woken } = glanceAt([['one'], 'a'], [['two'], 'b']);
  glance.wake(['three'], () => [{ collection: 'things', filter: { $unknown: 1 } }]);
  await expect(glance.look()).rejects.toThrow('$unknown');
  expect(woken).toEqual(['one', 'two', 'three']);
});
