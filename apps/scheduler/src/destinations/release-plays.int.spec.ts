import { type LayerWait, type Play } from '@weft/engine';
import { Mongo, MongoPlayStore, PLAYS, WaitingPlaysRepository } from '@weft/store';
import { ensureIndexes, type DestinationDocument } from '@weft/records';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, expect, it, vi } from 'vitest';
import { releasePlays, type ReleaseDeps } from './release-plays.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const ADDRESS = 'api.example.com:443';
const companyId = 'company';

async function waiting(playId: string, state: Play['state']): Promise<void> {
  const since = new Date(mongo.serverNow());
  const wait: LayerWait = {
    ...{ position: 0, ref: 'call', kind: 'destination_down', destination: ADDRESS },
    ...{ since, until: new Date(since.getTime() + 3_600_000) },
  };
  const fields = {
    ...{ state, waits: { 0: wait }, waitsFor: [`destination:${ADDRESS}`] },
    ...(state === 'ON_HOLD' && { held: 'DEFERRED' as const, heldAt: since }),
  };
  const play = { ...aPlay({ playId, companyId, serverNow: since }), ...fields };
  await mongo.collection<Play>(PLAYS).insertOne(play, { ignoreUndefined: true });
}

it('tries a destination that is down with a play that can, and ends the pauses of plays on hold once it is up', async () => {
  await waiting('a-held', 'ON_HOLD');
  await waiting('b-parked', 'DEFERRED');
  const ordered: string[] = [];
  const apply = vi.fn(async ({ read, order }: Parameters<ReleaseDeps['commands']['apply']>[0]) => {
    const found = await order(await read());
    if (!found) return { kind: 'unchanged' };
    ordered.push(found.play._id);
    return { kind: 'written', play: found.play, job: null };
  });
  const deps = {
    ...{
      mongo,
      waiting: new WaitingPlaysRepository(mongo),
      store: new MongoPlayStore(mongo, { outcomePatienceMs: 0 }),
      commands: { apply },
    },
    places: { take: async (_: string, ids: readonly string[]) => ({ ids: new Set(ids) }), giveBack: () => undefined },
    doorbell: { ring: async () => undefined },
  } as unknown as ReleaseDeps;
  const found = (state: DestinationDocument['state']) =>
    ({ company_id: companyId, address: ADDRESS, state }) as DestinationDocument;
  expect(await releasePlays(deps, found('down'), 1, false)).toMatchObject({ count: 1 });
  expect(ordered.splice(0)).toEqual(['b-parked']);
  expect(await releasePlays(deps, found('recovering'), 10, false)).toMatchObject({ count: 2 });
  expect(ordered.sort()).toEqual(['a-held', 'b-parked']);
});
