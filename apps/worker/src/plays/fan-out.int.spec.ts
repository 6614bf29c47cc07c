import { ParentNotifier, PlayCommands, type RunnableFlow } from '@weft/runs';
import { acceptPlay, PROTOCOL_TIMES, reapWrite, type Play, type PlayStore, type PlayWrite } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { BytesSemaphore } from '@weft/concurrency';
import { LayerRunner, prepareVersion } from '@weft/layers';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  Mongo,
  MongoPlayStore,
  PLAYS,
  PayloadStore,
  RetriesRepository,
  type StartingLayer,
  SystemScope,
} from '@weft/store';
import { ensureIndexes } from '@weft/records';
import { aLayer, aVersion, liveMongo, SETTINGS } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { childPlays } from '../layers/child-plays.js';
import { storedPayloads } from '../layers/stored-payloads.js';
import { PlayRun } from './play-run.js';
import { LARGE_PLAYS_BYTES } from './play-room.js';
import { SuspectLane } from './suspect-lane.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
afterEach(async () => {
  hasRoom = true;
  await plays.deleteMany({ company_id: companyId });
});
await ensureIndexes(mongo);
const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
const plays = mongo.collection<Play>(PLAYS);
const payloads = new PayloadStore(mongo);
const marked = new ChildPlaysRepository(mongo);
const companyId = randomUUID();
const scope = new SystemScope('spec');
const order = { companyId, version: 1, idempotencyKey: null, dueAt: null, args: {}, triggeredBy: null };
const child = { id: 'child', companyId, version: 1, enabled: true, isBlueprint: false, settings: SETTINGS };
const serverNow = () => mongo.serverNow();
const nothing = () => undefined;

/** Starts after which the worker that makes them dies. */
let startsLeft = Infinity;
/** Whether the company has room for another play. */
let hasRoom = true;
/** Requests of the layer in the stage of the loop: each ends when the spec calls it. */
const requests: (() => void)[] = [];

const layers = () =>
  new LayerRunner({
    http: {
      request: () => new Promise((_, reject) => requests.push(() => reject(new Error('none')))),
      close: () => Promise.resolve(),
    },
    sandbox: { run: () => Promise.reject(new Error('nothing here is computed')) },
    plays: childPlays({
      flows: { get: () => child as unknown as RunnableFlow },
      acceptance: {
        accept: async ({ id: flowId }, ask) => {
          if (!hasRoom) throw new WeftError('backlog_full', 'not now');
          if (startsLeft-- <= 0) return new Promise(nothing);
          const at = new Date(serverNow());
          const asked = { ...order, ...ask, serverNow: at, playId: randomUUID(), flowId };
          return store.accept(
            acceptPlay({ ...asked, labels: undefined, lane: null, dueAt: null, idempotencyKey: null }),
          );
        },
        laneOf: () => null,
        keyOfLimit: () => null,
        acceptPrepared: (play) => store.accept(play),
        nextPlayId: randomUUID,
      },
      children: marked,
      endings: new EndedPlaysRepository(mongo, scope),
      payloads,
      versions: { find: () => Promise.resolve(null) },
      retries: new RetriesRepository(mongo),
      serverNow,
      closing: () => true,
    }),
    payloads: storedPayloads(payloads),
    serverNow,
  });

/** Plays whose loop has a layer in its stage that makes a request. */
const withRequests = new Set<string>();

function versionOf(concurrency: number, playId: string) {
  const forEach = { in: '{{ $prev.args.list }}', concurrency, onItemError: 'collect' } as const;
  const args = { flowId: 'child', args: { n: '{{ $item }}' } };
  const stage = withRequests.has(playId) ? 's' : null;
  const fan = aLayer('fan', { appId: 'run-flow', args, forEach, stage });
  const request = aLayer('ask', {
    appId: 'web-request',
    args: { url: 'https://example.com' },
    onError: 'continue',
    stage,
  });
  return aVersion(stage ? [fan, request] : [fan], { companyId });
}

function runOf(me: string, play: Play, concurrency: number, write: PlayStore['write'] = store.write.bind(store)) {
  const handOut = {
    job: { playId: play._id, companyId, flowId: 'f', epoch: play.epoch },
    ...{ redelivered: me === 'next:1', handedOutAtMs: performance.now() },
  };
  const find = store.find.bind(store);
  return new PlayRun(handOut, me, {
    store: {
      ...{ accept: store.accept.bind(store), find, renew: store.renew.bind(store), write },
      writeEnd: store.writeEnd.bind(store),
    },
    source: {
      find,
      prepare: () => prepareVersion(versionOf(concurrency, play._id), 'C'),
    },
    layers: layers(),
    leases: {
      keep: nothing,
      renew: async (held) => held.forEach((one) => one.onRenewed(performance.now())),
      release: nothing,
    },
    suspects: new SuspectLane({ seats: 0 }),
    memory: new BytesSemaphore(LARGE_PLAYS_BYTES),
    events: {
      ...{
        announce: nothing,
        isWatched: () => false,
        publish: nothing,
        say: () => false,
        layerEnded: nothing,
        layersRecorded: nothing,
        started: nothing,
        ended: nothing,
      },
      ...{
        lost: nothing,
        unready: nothing,
        handedBack: nothing,
        waitsForPlays: nothing,
        waitsForEvents: nothing,
        scope: (_play, _handOut, work) => work(),
      },
    },
    times: PROTOCOL_TIMES,
    serverNow,
    isStopping: () => false,
    isOfOthers: () => false,
    pause: () => Promise.resolve(),
  });
}

const worker = (...of: Parameters<typeof runOf>) => runOf(...of).run();

const notifierOf = () =>
  new ParentNotifier({
    children: marked,
    signals: { publish: nothing },
    commands: new PlayCommands({
      ...{ mongo, store },
      doorbell: { ring: () => Promise.resolve(true) },
      windowRoom: { take: async (_company, ids) => ({ ids: new Set(ids), fresh: ids }), giveBack: nothing },
      changes: { written: nothing, unanswered: nothing },
    }),
    onFault: (error) => expect.unreachable(String(error)),
  });

async function accepted(items: number): Promise<Play> {
  const args = { list: Array.from({ length: items }, (_, n) => n) };
  const asked = { ...order, args, serverNow: new Date(serverNow()), playId: randomUUID(), flowId: 'f' };
  return (await store.accept(acceptPlay({ ...asked, trigger: 'api' }))).play;
}

const find = async (id: string) => (await plays.findOne({ _id: id })) as Play;
const childrenOf = (id: string) => plays.find({ parentPlayId: id }).sort({ 'parent.item': 1 }).toArray();

async function end(parent: string, items: readonly number[], state: 'DONE' | 'FAIL' = 'DONE') {
  const error = state === 'FAIL' ? { error: { code: 'bad_status', message: 'no', ref: null } } : {};
  await plays.updateMany(
    { parentPlayId: parent, 'parent.item': { $in: [...items] } },
    { $set: { state, completedAt: new Date(), ...error } },
  );
}

async function loopsWithEnds(): Promise<readonly StartingLayer[]> {
  const loops: StartingLayer[] = [];
  for (let next = await marked.nextWithEnds(scope, null); next; next = await marked.nextWithEnds(scope, next))
    loops.push(next);
  return loops;
}

/** As the schedulers do in each pass. */
async function scan(notifiers: readonly ParentNotifier[]) {
  const loops = await loopsWithEnds();
  await Promise.all(notifiers.flatMap((notifier) => loops.map((loop) => notifier.notify(loop))));
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a loop over run-flow', () => {
  it('is parked once, and set going by one write when the last of its plays has ended', async () => {
    const play = await accepted(20);
    await worker('w:1', play, 100);
    expect(await find(play._id)).toMatchObject({
      state: 'WAIT',
      waits: { 0: { kind: 'children', children: { open: 20 } } },
    });
    const started = await childrenOf(play._id);
    expect(started.map(({ parent, args }) => [parent?.item, args.n])).toEqual(range(0, 20).map((n) => [n, n]));
    await end(play._id, range(0, 19));
    const notifiers = [notifierOf(), notifierOf(), notifierOf()];
    await scan(notifiers);
    const before = await find(play._id);
    expect(before.state).toBe('WAIT');
    await end(play._id, [19], 'FAIL');
    await scan(notifiers);
    const woken = await find(play._id);
    expect(woken).toMatchObject({ state: 'RUN', epoch: before.epoch + 1, seq: before.seq + 1 });
    await worker('w:2', woken, 100);
    const ended = await find(play._id);
    expect(ended).toMatchObject({ state: 'DONE', layers: [{ state: 'DONE' }] });
    const out = ended.layers[0]?.out as { ok: boolean; out: { playId: string } }[];
    expect(out.map(({ out: { playId } }) => playId)).toEqual(started.map(({ _id }) => _id));
    expect(out.filter(({ ok }) => !ok)).toMatchObject([{ error: { code: 'child_failed' } }]);
    await scan(notifiers);
    expect(await loopsWithEnds()).toEqual([]);
  });

  it.each(range(0, 6))('starts no item twice when its worker dies after %s starts', async (starts) => {
    const play = await accepted(5);
    startsLeft = starts;
    let parked = false;
    const die: PlayStore['write'] = (key, write) => {
      if (write.set.state !== 'WAIT') return store.write(key, write);
      parked = true;
      return new Promise(nothing);
    };
    void worker('dead:1', play, 5, die);
    const died = async () => parked || (starts < 5 && (await childrenOf(play._id)).length === starts && startsLeft < 0);
    await expect.poll(died).toBe(true);
    startsLeft = Infinity;
    // one that parks in its first write leaves nothing but its job, which is handed out again
    if (!parked) await expect.poll(async () => (await find(play._id)).owner).toBe('dead:1');
    const left = await find(play._id);
    if (left.owner !== undefined) {
      const reaped = reapWrite(left, new Date(serverNow()));
      expect(await store.write({ playId: play._id, companyId, flowId: 'f' }, reaped)).toBe(true);
    }
    await worker('next:1', await find(play._id), 5);
    expect((await childrenOf(play._id)).map(({ parent }) => parent?.item)).toEqual(range(0, 5));
    expect(await find(play._id)).toMatchObject({ state: 'WAIT', waits: { 0: { children: { open: 5 } } } });
  });

  it.each([
    ['the ends that it has read', (write: PlayWrite) => write.set.doneItems !== undefined],
    ['that it waits again', (write: PlayWrite) => write.set.state === 'WAIT'],
  ])('loses no end when its worker dies while it stores %s', async (_what, isLast) => {
    const play = await accepted(5);
    await worker('w:1', play, 2);
    await end(play._id, [1]);
    await scan([notifierOf()]);
    let died = false;
    const die: PlayStore['write'] = (key, write) => {
      died ||= isLast(write);
      return died ? new Promise(nothing) : store.write(key, write);
    };
    void worker('dead:2', await find(play._id), 2, die);
    await expect.poll(() => died).toBe(true);
    const reaped = reapWrite(await find(play._id), new Date(serverNow()));
    expect(await store.write({ playId: play._id, companyId, flowId: 'f' }, reaped)).toBe(true);
    for (let round = 0; (await find(play._id)).state === 'RUN' && round < 9; round += 1) {
      await worker(`next:${round}`, await find(play._id), 2);
      const open = (await childrenOf(play._id)).filter(({ state }) => state === 'NEW');
      expect(open.length).toBeLessThanOrEqual(2);
      await end(
        play._id,
        open.map((each) => each.parent?.item ?? -1),
      );
      await scan([notifierOf(), notifierOf()]);
    }
    const started = await childrenOf(play._id);
    expect(started.map(({ parent }) => parent?.item)).toEqual(range(0, 5));
    const ended = await find(play._id);
    expect(ended).toMatchObject({ state: 'DONE', crashes: 0 });
    expect(ended.layers[0]?.out).toMatchObject(started.map(({ _id }) => ({ ok: true, out: { playId: _id } })));
  });

  it('stores what it waits for after it has stored ends, while another layer of its stage runs', async () => {
    const play = await accepted(20);
    withRequests.add(play._id);
    const waitOf = async () => (await find(play._id)).waits?.[0]?.children;
    const run = runOf('w:1', play, 10);
    const working = run.run();
    await expect.poll(waitOf).toEqual({ open: 10, wakeAfter: 5, upTo: 9 });
    hasRoom = false;
    await end(play._id, range(0, 8));
    await scan([notifierOf(), notifierOf()]);
    run.look();
    await expect.poll(waitOf).toEqual({ open: 2, wakeAfter: 1, upTo: 9 });
    requests.shift()?.();
    await working;
  });

  it('goes on with what is left after its worker died before it stored what it waits for', async () => {
    const play = await accepted(20);
    await worker('w:1', play, 10);
    expect(await find(play._id)).toMatchObject({
      state: 'WAIT',
      waits: { 0: { children: { open: 10, wakeAfter: 5 } } },
    });
    await end(play._id, range(0, 8));
    await scan([notifierOf(), notifierOf()]);
    hasRoom = false;
    let died = false;
    const die: PlayStore['write'] = (key, write) => {
      died ||= write.set.state === 'WAIT';
      return died ? new Promise(nothing) : store.write(key, write);
    };
    void worker('dead:2', await find(play._id), 10, die);
    await expect.poll(() => died).toBe(true);
    // fewer are left than it waited for
    expect(await loopsWithEnds()).toEqual([]);
    const reaped = reapWrite(await find(play._id), new Date(serverNow()));
    expect(await store.write({ playId: play._id, companyId, flowId: 'f' }, reaped)).toBe(true);
    await worker('next:3', await find(play._id), 10);
    expect((await find(play._id)).waits?.[0]).toMatchObject({ until: null, children: { open: 2, wakeAfter: 1 } });
  });

  it('is left alone while a worker has it, and forgotten when it has ended', async () => {
    const play = await accepted(3);
    await worker('w:1', play, 3);
    await end(play._id, [0, 1, 2]);
    await plays.updateOne({ _id: play._id }, { $set: { state: 'RUN' }, $unset: { waits: 1 } });
    await scan([notifierOf()]);
    const [loop, ...others] = await loopsWithEnds();
    expect(loop).toMatchObject({ companyId, flowId: 'f', playId: play._id, position: 0 });
    expect([others, loop && (await marked.countEnds(scope, loop, 9))]).toEqual([[], 3]);
    await plays.updateOne({ _id: play._id }, { $set: { state: 'FAIL' } });
    await scan([notifierOf()]);
    expect(await loopsWithEnds()).toEqual([]);
  });
});
