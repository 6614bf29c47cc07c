// A MongoDB of its own: its primaries are killed and cut off.
import { isStoreUnavailable, Mongo, MongoPlayStore, playKeyOf } from '@weft/store';
import { aPlay, waitFor } from '@weft/testing';
import { createIdSource } from '@weft/kernel';
import { afterAll, expect, it } from 'vitest';
import { startReplicaSet } from './harness/replica-set.js';

const FAILOVERS = 4;
const READERS = 5;
/** So a member knows later than clients that a majority has a write: a primary that is cut off in between leaves one that does not. */
const BETWEEN_MEMBERS_MS = 40;
const SOME_READS = 50;
const TIMEOUT_MS = 180_000;
const NOTHING = () => {};

const set = await startReplicaSet({ betweenMembersMs: BETWEEN_MEMBERS_MS });
const mongo = await Mongo.open({ uri: set.uri, db: 'failovers', appName: 'spec', selectWithinMs: 1_000 });
afterAll(() => mongo.close());
const store = new MongoPlayStore(mongo, { outcomePatienceMs: 10_000, answerWithinMs: 3_000 });
const newId = createIdSource(() => Date.now(), 1);

const unlessUnavailable = (error: unknown): null => {
  if (!isStoreUnavailable(error)) throw error;
  return null;
};

async function isEverywhere(): Promise<boolean> {
  const marks = mongo.collection<{ _id: string }>('marks');
  return (await marks.insertOne({ _id: newId() }, { writeConcern: { w: 3 } }).catch(unlessUnavailable)) !== null;
}

/** Primaries in the order in which the driver told of them, and members that got a command before the driver told of them. */
function watchDriver(first: string) {
  const client = mongo.connection.getClient();
  const primaries = [first];
  const early = new Set<string>();
  client.on('serverDescriptionChanged', ({ address, newDescription: { type } }) => {
    if (type === 'RSPrimary') primaries.push(address);
  });
  client.on('commandStarted', ({ address, commandName }) => {
    if (!primaries.includes(address)) early.add(`${commandName} to ${address}`);
  });
  return { primaries, early };
}

it(
  'shows every play whose insert was acknowledged before it began, also from a primary that was elected meanwhile',
  { timeout: TIMEOUT_MS },
  async () => {
    const driver = watchDriver((await set.primary()).address);
    let acknowledged = aPlay({ playId: newId() });
    await store.accept(acknowledged);
    let [isOver, reads, onAcknowledged] = [false, 0, NOTHING];
    const missing: string[] = [];
    const accepts = async (): Promise<void> => {
      while (!isOver) {
        const play = aPlay({ playId: newId() });
        if ((await store.accept(play).catch(unlessUnavailable)) === null) continue;
        acknowledged = play;
        onAcknowledged();
      }
    };
    const looks = async (): Promise<void> => {
      while (!isOver) {
        const play = acknowledged;
        const found = await store.find(playKeyOf(play)).catch(() => undefined);
        if (found !== undefined) reads += 1;
        if (found === null) missing.push(`${play._id} of ${String(mongo.election)}`);
      }
    };
    /** In the moment of an acknowledgement. One that is not the primary any more is left alone: nobody would be elected then. */
    const cutOff = async (isKilled: boolean): ReturnType<typeof set.primary> => {
      const primary = await set.primary();
      const { election } = mongo;
      const isCutOff = await new Promise<boolean>((resolve) => {
        onAcknowledged = () => {
          onAcknowledged = NOTHING;
          if (mongo.election !== election || driver.primaries.at(-1) !== primary.address) return resolve(false);
          // the connections of clients to a killed one end; to one that is cut off, nothing comes
          set.isolate(primary, isKilled ? 'from members' : 'from all');
          resolve(isKilled ? primary.kill().then(() => true) : true);
        };
      });
      return isCutOff ? primary : cutOff(isKilled);
    };
    const all = [accepts(), ...Array.from({ length: READERS }, looks)];
    const elections = new Set([mongo.election]);
    for (let nth = 0; nth < FAILOVERS; nth += 1) {
      const isKilled = nth % 2 === 0;
      const primary = await cutOff(isKilled);
      const before = reads;
      await waitFor(() => reads > before + SOME_READS && !elections.has(mongo.election), { what: 'reads', withinMs: 60_000 }); // prettier-ignore
      elections.add(mongo.election);
      set.join('is lost');
      if (isKilled) await primary.start();
      // the next primary's place is taken by a member that has all
      await waitFor(isEverywhere, { what: 'all members to have a write', withinMs: 60_000 });
    }
    isOver = true;
    await Promise.all(all);
    expect({ missing, elections: elections.size }).toEqual({ missing: [], elections: FAILOVERS + 1 });
    expect([...driver.early]).toEqual([]);
    expect(new Set(driver.primaries).size).toBeGreaterThan(1);
  },
);
