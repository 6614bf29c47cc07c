import {
  PROTOCOL_TIMES,
  UnstorableError,
  acceptPlay,
  decideCommand,
  reissueWrite,
  type LayerOutcome,
  type LayerResult,
  type Play,
  type PlayWrite,
} from '@weft/engine';
import { BytesSemaphore } from '@weft/concurrency';
import { prepareVersion, type LayerCall, type PreparedVersion } from '@weft/layers';
import { noticeJournal, type NoticeJournal } from '@weft/realtime-bus';
import { aLayer, aVersion, MemoryPlayStore, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import type { LeasedRun } from '../lease/lease-keeper.js';
import { UnreadableVersion } from '../layers/flow-versions.js';
import type { PlayRunDeps } from './play-run-deps.js';
import { PlayRun } from './play-run.js';
import { SuspectLane } from './suspect-lane.js';

const KEY = { playId: 'p', companyId: 'c', flowId: 'f' };
const EMPTY = aVersion([]);
const RETRY = { attempts: 2, backoff: 'fixed', delayMs: 4, maxDelayMs: 4 } as const;

interface Told {
  readonly seq: number;
  readonly journal: NoticeJournal | null;
}

interface Running {
  readonly call: LayerCall;
  readonly ends: (state: 'DONE' | 'FAIL') => void;
  /** The call is made later, as one that a rate limit holds back. */
  readonly pauses: () => void;
  /** It has started a play. */
  readonly waitsForPlay: () => void;
  readonly waitsForEvent: () => void;
}

/** One play of such layers in a worker of its own. The test ends the calls. */
function fixture(
  layers: readonly { stage?: string; retry?: boolean; once?: boolean }[],
  prepare?: PlayRunDeps['source']['prepare'],
) {
  const store = new MemoryPlayStore();
  const running: Running[] = [];
  /** Replaces the store for the next writes, in turn; `undefined`: the store itself. */
  const refusals: ((write: PlayWrite) => Promise<boolean> | undefined)[] = [];
  const pauses: number[] = [];
  const log = {
    largeBytes: 0,
    writes: 0,
    reads: 0,
    most: 0,
    asked: 0,
    told: [] as Told[],
    unready: [] as string[],
    awaits: [] as { readonly playId: string; readonly state: string }[],
    looks: [] as { readonly layers: readonly number[]; readonly state: string }[],
  };
  const times = { ...PROTOCOL_TIMES, lazyMs: 5 };
  const lane = new SuspectLane({ seats: 1 });
  const memory = new BytesSemaphore(4_000);
  const process = { stops: false, isWatched: false, isOfOthers: false as boolean | Promise<boolean> };
  const renew = { each: (_run: LeasedRun): void => undefined };
  const version = aVersion(
    layers.map(({ stage = null, retry, once }, index) => {
      const onInterrupted = once ? 'fail' : 'repeat';
      return aLayer(`l${index}`, { appId: 'web-request', index, stage, retry: retry ? RETRY : null, onInterrupted });
    }),
  );
  const run = (call: LayerCall) =>
    new Promise<{ outcome: LayerOutcome; out: unknown }>((resolve) => {
      const ends = (state: 'DONE' | 'FAIL') =>
        resolve({ outcome: { kind: 'result', result: resultOf(call, state) }, out: {} });
      call.signal.addEventListener('abort', () => ends('FAIL'));
      const wait = {
        position: call.position,
        ref: `l${call.position}`,
        kind: 'rate_limit',
        since: new Date(),
      } as const;
      const until = new Date(Date.now() + 60_000);
      const pauses = () => resolve({ outcome: { kind: 'wait', wait: { ...wait, until } }, out: null });
      const children = { open: 1, wakeAfter: 1, playId: 'child' };
      const waitsForPlay = () =>
        resolve({ outcome: { kind: 'wait', wait: { ...wait, kind: 'children', until: null, children } }, out: null });
      const event = { name: 'paid', key: null };
      const waitsForEvent = () =>
        resolve({ outcome: { kind: 'wait', wait: { ...wait, kind: 'event', until: null, event } }, out: null });
      running.push({ call, ends, pauses, waitsForPlay, waitsForEvent });
    });
  const deps: PlayRunDeps = {
    store: {
      accept: (play) => store.accept(play),
      find: (key) => store.find(key),
      renew: (owned) => store.renew(owned),
      writeEnd: (key, write) => store.writeEnd(key, write),
      write: async (key, write) => {
        log.writes += 1;
        log.most = Math.max(log.most, log.writes);
        await new Promise((resolve) => setImmediate(resolve));
        try {
          return await (refusals.shift()?.(write) ?? store.write(key, write));
        } finally {
          log.writes -= 1;
        }
      },
    },
    source: {
      find: async (key, room) => {
        if (log.largeBytes > 0) await room(log.largeBytes);
        log.reads += 1;
        return store.find(key);
      },
      prepare: prepare ?? (() => prepareVersion(version, 'C')),
    },
    memory,
    layers: { run, check: () => Promise.resolve(null), discard: () => Promise.resolve() },
    leases: { keep: () => undefined, renew: async (runs) => void runs.forEach(renew.each), release: () => undefined },
    suspects: {
      requestTurn: (...suspect) => {
        log.asked += 1;
        return lane.requestTurn(...suspect);
      },
      endTurn: (id) => lane.endTurn(id),
      cancelRequest: (id) => lane.cancelRequest(id),
    },
    events: {
      announce: (_companyId, _playId, seq, journal) => void log.told.push({ seq, journal: journal ?? null }),
      isWatched: () => process.isWatched,
      publish: () => undefined,
      say: () => false,
      layerEnded: () => undefined,
      layersRecorded: () => undefined,
      started: () => undefined,
      ended: () => undefined,
      lost: () => undefined,
      unready: (_play, why) => void log.unready.push(why),
      handedBack: () => undefined,
      waitsForEvents: ({ playId }) => void stored().then(({ state }) => log.awaits.push({ playId, state })),
      waitsForPlays: (_key, layers) => void stored().then(({ state }) => log.looks.push({ layers, state })),
      scope: (_play, _handOut, work) => work(),
    },
    times,
    serverNow: () => Date.now(),
    isStopping: () => process.stops,
    isOfOthers: () => process.isOfOthers,
    pause: async (ms = 0) => void pauses.push(ms),
  };
  const handOut = (epoch: number): PlayRun => {
    const job = { ...KEY, epoch };
    return new PlayRun({ job, redelivered: false, handedOutAtMs: performance.now() }, 'w:1', deps);
  };
  const begin = async (fields: Partial<Play> = {}) => {
    const order = { ...KEY, version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
    const accepted = acceptPlay({ ...order, trigger: 'api', triggeredBy: null, serverNow: new Date() });
    await store.accept({ ...accepted, ...fields });
    const play = handOut(1);
    return { play, ended: play.run() };
  };
  const stored = async (): Promise<Play> => (await store.find(KEY)) as Play;
  const callsAre = (n: number) => waitFor(() => running.length === n, { what: `${n} calls` });
  return {
    store,
    running,
    log,
    refusals,
    pauses,
    times,
    lane,
    memory,
    process,
    renew,
    begin,
    handOut,
    stored,
    callsAre,
  };
}

function resultOf({ position, attempt, prepared }: LayerCall, state: 'DONE' | 'FAIL'): LayerResult {
  const { ref = '', name = '' } = prepared.plan[position] ?? {};
  const at = new Date();
  return {
    ...{
      position,
      ref,
      name,
      state,
      startedAt: at,
      completedAt: at,
      out: {},
      outBytes: 2,
      attempts: attempt,
      by: 'w:1',
    },
    ...(state === 'FAIL' && { error: { code: 'timeout', message: 'no' } }),
  };
}

describe('a play whose company has workers with another label', () => {
  it.each([true, Promise.resolve(true)])('is claimed before its first call', async (isOfOthers) => {
    const { begin, callsAre, process, running, stored, times } = fixture([{}]);
    Object.assign(times, { lazyMs: 60_000 });
    process.isOfOthers = isOfOthers;
    const { ended } = await begin();
    await callsAre(1);
    expect((await stored()).owner).toBe('w:1');
    running[0]?.ends('DONE');
    expect(await ended).toBe('final');
  });
});

describe('a play that begins by a time or not at all', () => {
  const past = new Date(0);
  const future = new Date(Date.now() + 3_600_000);

  it('ends as SKIP when a worker takes it later, before anything of it runs, and whoever listens hears of it', async () => {
    const { log, begin, stored, running } = fixture([{}]);
    expect(await (await begin({ notAfter: past, strict: true })).ended).toBe('final');
    expect(running).toEqual([]);
    const play = await stored();
    expect(play).toMatchObject({ state: 'SKIP', error: { code: 'too_late' }, layers: [] });
    expect(log.told.at(-1)?.journal?.log).toHaveLength(play.seq);
  });

  it('is left to the worker that has claimed it, and is not ended for a job that is not for it', async () => {
    const { begin, stored } = fixture([{}]);
    expect(await (await begin({ notAfter: past, state: 'RUN', owner: 'w:9' })).ended).toBe('owned');
    expect((await stored()).state).toBe('RUN');
  });

  it('is claimed by a write before its first call', async () => {
    const { begin, stored, callsAre, running, times } = fixture([{}]);
    times.lazyMs = 60_000;
    const { ended } = await begin({ notAfter: future });
    await callsAre(1);
    const play = await stored();
    expect(play).toMatchObject({ state: 'RUN', owner: 'w:1' });
    expect(play).not.toHaveProperty('notAfter');
    running[0]?.ends('DONE');
    expect(await ended).toBe('final');
    expect((await stored()).state).toBe('DONE');
  });
});

describe('a large play', () => {
  const other = (memory: BytesSemaphore, company = 'other') =>
    memory.acquire(company, 1_000, new AbortController().signal);
  const isAdmitted = async (waits: Promise<unknown>) => {
    const soon = new Promise((resolve) => setImmediate(resolve, 'waits'));
    return (await Promise.race([waits, soon])) !== 'waits';
  };

  it('begins when there is room for it, and keeps that, and what it has more later, to its end', async () => {
    const { log, begin, running, callsAre, memory } = fixture([{}]);
    log.largeBytes = 1_000;
    const held = await other(memory);
    held.resize(4_000);
    const { play, ended } = await begin();
    await new Promise(setImmediate);
    expect(running).toEqual([]);
    held.release();
    await callsAre(1);
    (await other(memory)).resize(2_000);
    log.largeBytes = 2_000;
    // not while a write is in flight, whose answer shows the play, too
    await waitFor(() => (play.look(), log.reads > 1), { what: 'the second read' });
    const next = other(memory, 'a third one');
    expect(await isAdmitted(next)).toBe(false);
    running[0]?.ends('DONE');
    expect(await ended).toBe('final');
    expect(await isAdmitted(next)).toBe(true);
  });

  it.each([false, true])(
    'is handed back without room when the process stops: before it waits is %s',
    async (isEarly) => {
      const { log, begin, stored, running, memory, process } = fixture([{}]);
      log.largeBytes = 1_000;
      (await other(memory)).resize(4_000);
      process.stops = isEarly;
      const { play } = await begin();
      process.stops = true;
      if (!isEarly) play.nudge();
      await waitFor(async () => (await stored()).epoch === 2, { what: 'the hand-back' });
      expect([running.length, (await stored()).owner, (await stored()).state]).toEqual([0, undefined, 'NEW']);
    },
  );
});

describe('the notice of an end', () => {
  it.each([true, false])('has the time of the store only when somebody watches: %s', async (isWatched) => {
    const { log, begin, stored, running, callsAre, process } = fixture([{}]);
    process.isWatched = isWatched;
    const { ended } = await begin();
    await callsAre(1);
    running[0]?.ends('DONE');
    expect(await ended).toBe('final');
    const { completedAt } = await stored();
    expect(completedAt).toBeInstanceOf(Date);
    expect(log.told.at(-1)?.journal?.endedAt).toEqual(isWatched ? completedAt : undefined);
  });
});

describe('a play whose version cannot be prepared', () => {
  /** Hands the play out until it ends, each time after the reconciler has reissued it. */
  async function handedOut(prepare: PlayRunDeps['source']['prepare']) {
    const { log, begin, handOut, stored, store } = fixture([{}], prepare);
    const ends = [await (await begin()).ended];
    while (ends.at(-1) === 'unready' && ends.length < 100) {
      const play = await stored();
      expect(await store.write(KEY, reissueWrite(play))).toBe(true);
      ends.push(await handOut(play.epoch + 1).run());
    }
    return { log, ends, play: await stored() };
  }

  it('FAILs after a few hand-outs when it is gone, and whoever listens is told', async () => {
    const { log, ends, play } = await handedOut(() => Promise.resolve(null));
    expect(ends).toEqual(['unready', 'unready', 'final']);
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'version_missing', ref: null } });
    expect(play.error?.message).toContain('version 1 of the flow');
    expect(log.unready).toEqual(['version_missing', 'version_missing', 'version_missing']);
    expect(log.told.at(-1)?.journal?.log).toHaveLength(play.seq);
  });

  it('FAILs when it cannot be read, but not before other workers have had many chances', async () => {
    const unreadable = new UnreadableVersion('args.url: ".a..b" has an empty name');
    const { ends, play } = await handedOut(() => Promise.reject(unreadable));
    expect(ends).toHaveLength(25);
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'version_unreadable' } });
    expect(play.error?.message).toContain('.a..b');
  });

  it('is run by the next worker that can, and is left alone for other faults', async () => {
    let given: 'none' | 'fault' | 'version' = 'none';
    const prepare = async (): Promise<PreparedVersion | null> => {
      if (given === 'fault') throw new Error('MongoDB says no');
      return given === 'none' ? null : prepareVersion(EMPTY, 'C');
    };
    const { begin, handOut, stored } = fixture([], prepare);
    expect(await (await begin()).ended).toBe('unready');
    given = 'fault';
    await expect(handOut(1).run()).rejects.toThrow('MongoDB says no');
    expect((await stored()).notBegun?.times).toBe(1);
    given = 'version';
    expect(await handOut(1).run()).toBe('final');
    expect((await stored()).state).toBe('DONE');
  });

  it('is not counted by a job that is not for it any more', async () => {
    const { begin, stored } = fixture([{}], () => Promise.resolve(null));
    const { ended } = await begin({ owner: 'w:9', state: 'RUN' });
    expect(await ended).toBe('owned');
    expect(await stored()).not.toHaveProperty('notBegun');
  });
});

describe('PlayRun', () => {
  it('runs a stage at once, stores what has ended while the rest runs, one write at a time', async () => {
    const { running, log, begin, stored, callsAre } = fixture([{ stage: 's' }, { stage: 's' }, { stage: 's' }, {}]);
    const { ended } = await begin();
    await callsAre(3);
    running[2]?.ends('DONE');
    await waitFor(async () => (await stored()).layers.length === 1, { what: 'the first result' });
    expect(await stored()).toMatchObject({ state: 'RUN', cursor: 1, owner: 'w:1', layers: [{ position: 2 }] });
    running[0]?.ends('DONE');
    running[1]?.ends('DONE');
    await callsAre(4);
    running[3]?.ends('DONE');
    expect(await ended).toBe('final');
    expect(await stored()).toMatchObject({ state: 'DONE', cursor: 4 });
    expect(log.most).toBe(1);
    expect(running[3]?.call.outputs.size).toBe(4);
  });

  it('tells with each notice the journal as its write has left it, whoever wrote before', async () => {
    const { store, running, log, begin, stored, callsAre } = fixture([{}, {}, {}]);
    const { ended } = await begin();
    const versions: Play[] = [];
    const see = async () => versions.push(await stored());
    const command = async (kind: 'hold' | 'release') => {
      const later = new Date(Date.now() + 10_000);
      const decision = decideCommand(await stored(), { kind }, later);
      expect(decision.kind === 'write' && (await store.write(KEY, decision.write))).toBe(true);
    };
    for (const n of [1, 2, 3]) {
      await callsAre(n);
      await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
      await see();
      if (n === 2) {
        await command('hold');
        await command('release');
      }
      running[n - 1]?.ends('DONE');
    }
    expect(await ended).toBe('final');
    await see();
    expect(log.told.length).toBeGreaterThan(3);
    for (const { seq, journal } of log.told) expect(journal?.log).toHaveLength(seq);
    const told = new Map(log.told.map(({ seq, journal }) => [seq, journal]));
    const known = versions.filter(({ seq }) => told.has(seq));
    expect(known.length).toBeGreaterThan(2);
    for (const play of known) expect(told.get(play.seq)).toEqual(noticeJournal(play));
    expect(told.get(versions.at(-1)?.seq ?? 0)?.layers).toHaveLength(3);
  });

  it('says which layers wait for plays once that is stored: these may have ended before', async () => {
    const { running, log, begin, callsAre } = fixture([{}]);
    const { ended } = await begin();
    await callsAre(1);
    running[0]?.waitsForPlay();
    expect(await ended).toBe('park');
    await waitFor(() => log.looks.length > 0, { what: 'a look' });
    expect(log.looks).toEqual([{ layers: [0], state: 'WAIT' }]);
  });

  it('says that the play waits for an event once that is stored: the event may have come before', async () => {
    const { running, log, begin, callsAre } = fixture([{}]);
    const { ended } = await begin();
    await callsAre(1);
    running[0]?.waitsForEvent();
    expect(await ended).toBe('park');
    await waitFor(() => log.awaits.length > 0, { what: 'a look' });
    expect(log.awaits).toEqual([{ playId: KEY.playId, state: 'WAIT' }]);
    expect(log.looks).toEqual([]);
  });

  it('makes a failed call again after its pause, when the failure is on record', async () => {
    const { running, begin, stored, callsAre } = fixture([{ retry: true }]);
    const { ended } = await begin();
    await callsAre(1);
    running[0]?.ends('FAIL');
    await callsAre(2);
    expect((await stored()).tries).toEqual({ '0': 1 });
    expect(running[1]?.call.attempt).toBe(2);
    running[1]?.ends('DONE');
    expect(await ended).toBe('final');
    expect(await stored()).toMatchObject({ state: 'DONE', layers: [{ attempts: 2 }] });
    expect(await stored()).not.toHaveProperty('tries');
  });

  it('proves again whose the play is for an effect that begins long after its call', async () => {
    const { store, running, times, renew, begin, stored, callsAre } = fixture([{}]);
    const { ended } = await begin();
    await callsAre(1);
    const proven = running[0]?.call.proven;
    expect(proven?.()).toBe(true);
    await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
    times.leaseMs = times.leaseMarginMs;
    renew.each = () => (times.leaseMs = PROTOCOL_TIMES.leaseMs);
    expect(await proven?.()).toBe(true);
    times.leaseMs = times.leaseMarginMs;
    renew.each = (run) => run.onLeaseLost();
    const error = { code: 'cancelled', message: 'Cancelled.', ref: null };
    const decision = decideCommand(await stored(), { kind: 'cancel', error }, new Date());
    expect(decision.kind === 'write' && (await store.write(KEY, decision.write))).toBe(true);
    expect(await proven?.()).toBe(false);
    expect(await ended).toBe('fenced');
  });

  it('lets calls go that have not begun when the process stops: nothing was interrupted', async () => {
    const { running, process, begin, stored, callsAre } = fixture([{ once: true }]);
    const { play, ended } = await begin();
    await callsAre(1);
    const [{ call, pauses }] = running as [Running];
    call.leave?.addEventListener('abort', pauses);
    play.nudge();
    expect(call.leave?.aborted).toBe(false);
    process.stops = true;
    play.nudge();
    expect(await ended).toBe('park');
    expect(await stored()).toMatchObject({ state: 'DEFERRED', waits: { 0: { kind: 'rate_limit' } }, layers: [] });
    expect(await stored()).not.toHaveProperty('started');
  });

  it('lets calls go that have not begun when the play is put on hold', async () => {
    const { store, running, begin, stored, callsAre } = fixture([{ stage: 's' }, { stage: 's' }]);
    const { play, ended } = await begin();
    await callsAre(2);
    await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
    const [first, second] = running as [Running, Running];
    first.call.leave?.addEventListener('abort', first.pauses);
    const decision = decideCommand(await stored(), { kind: 'hold' }, new Date());
    expect(decision.kind === 'write' && (await store.write(KEY, decision.write))).toBe(true);
    play.look();
    await waitFor(() => first.call.leave?.aborted === true, { what: 'the hold' });
    second.ends('DONE');
    expect(await ended).toBe('held');
    expect(await stored()).toMatchObject({ state: 'ON_HOLD', held: 'RUN', waits: { 0: { kind: 'rate_limit' } } });
  });

  it('has one write on its way when the grace is over at the moment at which a call ends', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { running, log, begin, stored, callsAre } = fixture([{ stage: 's' }, { stage: 's' }]);
      const { play, ended } = await begin();
      await callsAre(2);
      await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
      running[0]?.ends('DONE');
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await play.giveUp();
      expect(['handBack', 'stopped']).toContain(await ended);
      expect(await stored()).toMatchObject({ state: 'RUN', epoch: 2 });
      expect(log.most).toBe(1);
    }
  });

  it('gives up what it calls when it is told to look, and somebody has ended the play', async () => {
    const { store, running, begin, stored, callsAre } = fixture([{ stage: 's' }, { stage: 's' }]);
    const { play, ended } = await begin();
    await callsAre(2);
    await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
    const error = { code: 'cancelled', message: 'Cancelled.', ref: null };
    const decision = decideCommand(await stored(), { kind: 'cancel', error }, new Date());
    expect(decision.kind === 'write' && (await store.write(KEY, decision.write))).toBe(true);
    expect(running.map(({ call }) => call.signal.aborted)).toEqual([false, false]);
    play.look();
    expect(await ended).toBe('fenced');
    expect(running.map(({ call }) => call.signal.aborted)).toEqual([true, true]);
    expect(await stored()).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' }, layers: [] });
  });

  const tooLarge = () => Promise.reject(new UnstorableError('too_large', 'It would be too large.'));

  it('FAILs a play that the store cannot hold with its results, by a write without them', async () => {
    const { running, refusals, begin, stored, callsAre } = fixture([{ stage: 's' }, { stage: 's' }]);
    const { ended } = await begin();
    await callsAre(2);
    await waitFor(async () => (await stored()).owner === 'w:1', { what: 'the lease' });
    refusals.push(tooLarge);
    running[0]?.ends('DONE');
    expect(await ended).toBe('final');
    expect(running[1]?.call.signal.aborted).toBe(true);
    const play = await stored();
    expect(play).toMatchObject({
      state: 'FAIL',
      error: { code: 'output_too_large', ref: 'l0' },
      layers: [],
      cursor: 0,
    });
    expect(play.log.map(({ type }) => type).slice(-2)).toEqual(['state', 'end']);
    expect(play.log.map(({ seq }) => seq)).toEqual(play.log.map((_entry, i) => i + 1));
  });

  it('lets the results go of a play that has no room for its end', async () => {
    const { running, refusals, begin, stored, callsAre } = fixture([{}, {}]);
    const { ended } = await begin();
    await callsAre(1);
    running[0]?.ends('DONE');
    await callsAre(2);
    refusals.push(tooLarge, tooLarge);
    running[1]?.ends('DONE');
    expect(await ended).toBe('final');
    expect((await stored()).layersErasedAt).toBeDefined();
    expect(await stored()).toMatchObject({
      state: 'FAIL',
      error: { code: 'output_too_large' },
      layers: [{ out: null }],
    });
  });

  it('waits longer each time its write is refused for no reason that it can read, and then gives the play up', async () => {
    const { running, refusals, pauses, begin, stored, callsAre } = fixture([{}]);
    const { ended } = await begin();
    await callsAre(1);
    refusals.push(...Array.from({ length: 100 }, () => () => Promise.resolve(false)));
    running[0]?.ends('DONE');
    expect(await ended).toBe('stalled');
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect([pauses.length < 30, pauses[0], pauses.at(-1)]).toEqual([true, 5, 1_000]);
    expect((await stored()).state).not.toBe('DONE');
  });

  const SUSPECT = { state: 'RUN', strict: true, crashes: 1 } as const;

  it('waits for its turn when it may have killed a worker, and leaves the turn when it has passed that place', async () => {
    const { running, log, lane, begin, stored, callsAre } = fixture([{}, {}]);
    await lane.requestTurn('other', 'other', 1);
    const { ended } = await begin(SUSPECT);
    await waitFor(() => log.asked === 1, { what: 'it to wait for its turn' });
    expect(await stored()).not.toHaveProperty('owner');
    lane.endTurn('other');
    await callsAre(1);
    expect(await stored()).toMatchObject({ owner: 'w:1', crashes: 1 });
    const next = lane.requestTurn('next', 'next', 1);
    running[0]?.ends('DONE');
    expect(await next).toBe(true);
    await callsAre(2);
    expect(await stored()).toMatchObject({ cursor: 1, crashes: 0 });
    running[1]?.ends('DONE');
    expect(await ended).toBe('final');
  });

  it('gives its slot to others when there is no seat to wait in, and leaves the play untouched', async () => {
    const { lane, begin, stored } = fixture([{}]);
    await lane.requestTurn('other', 'other', 1);
    void lane.requestTurn('seated', 'seated', 1);
    const { play, ended } = await begin(SUSPECT);
    expect(await ended).toBe('parked');
    expect(play.turn.againInMs).toBeGreaterThan(0);
    expect(await stored()).toMatchObject({ ...SUSPECT, seq: 1 });
  });

  it('hands a play back that waits for its turn when the process stops', async () => {
    const { log, lane, process, begin, stored } = fixture([{}]);
    await lane.requestTurn('other', 'other', 1);
    const { play, ended } = await begin(SUSPECT);
    await waitFor(() => log.asked === 1, { what: 'it to wait for its turn' });
    process.stops = true;
    play.nudge();
    expect(await ended).toBe('handBack');
    expect(play.turn.againInMs).toBeNull();
    expect(await stored()).toMatchObject({ ...SUSPECT, epoch: 2 });
  });
});
