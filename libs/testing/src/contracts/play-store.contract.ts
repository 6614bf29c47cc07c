/**
 * The contract of every play store. Call it inside a `describe`; `make` may return the same store every time, because
 * each test has its own company.
 */
import { OPEN_FIELDS, endWrite, numberEvents, type Play, type PlayStore, type PlayWrite } from '@weft/engine';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  LONG_AGO,
  change,
  claim,
  fail,
  playKeyOf,
  newId,
  newPlay,
  type Change,
  type Where,
} from '../builders/plays.js';

export function playStoreContract(make: () => Promise<PlayStore>): void {
  let store: PlayStore;
  beforeAll(async () => {
    store = await make();
  });
  const stored = async (play: Play): Promise<Play> => {
    const found = await store.find(playKeyOf(play));
    if (!found) throw new Error(`play ${play._id} is not there`);
    return found;
  };
  const accepted = async (where?: Where): Promise<Play> => stored((await store.accept(newPlay(where))).play);
  const again = ({ company_id: companyId, flowId, idempotencyKey: key }: Play) => newPlay({ companyId, flowId, key });
  const claimed = async (owner: string): Promise<Play> => {
    const play = await accepted();
    expect(await store.write(playKeyOf(play), claim(play, owner))).toBe(true);
    return stored(play);
  };

  describe('accept', () => {
    it('keeps the whole play', async () => {
      const play = newPlay({ key: 'k' });
      expect(await store.accept(play)).toMatchObject({ play: { _id: play._id }, replayed: false });
      expect(await store.find(playKeyOf(play))).toEqual(play);
    });

    it('takes a play for its own when its id is there already, and changes nothing', async () => {
      const play = await accepted();
      await store.write(playKeyOf(play), claim(play, 'w:1'));
      expect(await store.accept(play)).toMatchObject({ play: { _id: play._id }, replayed: false });
      expect(await stored(play)).toMatchObject({ owner: 'w:1', seq: 2 });
    });

    it('gives the holder of the key instead of a second play', async () => {
      const first = await accepted({ key: 'k' });
      const second = newPlay({ companyId: first.company_id, flowId: first.flowId, key: 'k' });
      expect(await store.accept(second)).toEqual({ play: first, replayed: true });
      expect(await store.find(playKeyOf(second))).toBeNull();
    });

    it('makes one play of 100 parallel ones with one key', async () => {
      const where = { companyId: newId(), flowId: newId(), key: 'k' };
      const answers = await Promise.all(Array.from({ length: 100 }, () => store.accept(newPlay(where))));
      expect(new Set(answers.map(({ play }) => play._id)).size).toBe(1);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    });

    it('binds a key in its company and its flow alone, and no play without a key', async () => {
      const { company_id: companyId, flowId } = await accepted({ key: 'k' });
      const others = [
        { companyId, key: 'k' },
        { flowId, key: 'k' },
        { companyId, flowId, key: 'K' },
      ];
      for (const where of [...others, { companyId, flowId }, { companyId, flowId }])
        expect(await store.accept(newPlay(where))).toMatchObject({ replayed: false });
    });

    it('keeps the key bound by a play that is DONE or failed, until a play is accepted that takes it over', async () => {
      const [done, failed] = [await accepted({ key: 'done' }), await accepted({ key: 'failed' })];
      await store.write(playKeyOf(done), change(done, { set: { state: 'DONE' }, unset: ['heartbeatAt'] }));
      await store.write(playKeyOf(failed), fail(failed));
      for (const [play, from] of [[done], [failed], [done, done._id]] as const)
        expect(await store.accept(again(play), from)).toMatchObject({ play: { _id: play._id }, replayed: true });
      const next = again(failed);
      expect(await store.accept(next, failed._id)).toEqual({ play: next, replayed: false });
      expect(await stored(failed)).not.toHaveProperty('key');
    });

    it('gives the key of a failed play to one of many that take it over at once', async () => {
      const failed = await accepted({ key: 'k' });
      await store.write(playKeyOf(failed), fail(failed));
      const answers = await Promise.all(Array.from({ length: 20 }, () => store.accept(again(failed), failed._id)));
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    });
  });

  describe('writeEnd', () => {
    it('gives the time of the end as it is stored', async () => {
      const plays = await Promise.all(Array.from({ length: 3 }, () => claimed('w:1')));
      const ends = await Promise.all(plays.map((play) => store.writeEnd(playKeyOf(play), fail(play))));
      const times = await Promise.all(plays.map(async (play) => (await stored(play)).completedAt));
      expect(times.every((time) => time instanceof Date)).toBe(true);
      expect(ends).toEqual(times.map((completedAt) => ({ isStored: true, completedAt })));
    });

    it('gives no time when match does not hold, and changes nothing', async () => {
      const play = await claimed('w:1');
      const write = { ...fail(play), match: { ...fail(play).match, owner: 'w:2' } };
      expect(await store.writeEnd(playKeyOf(play), write)).toEqual({ isStored: false });
      expect(await stored(play)).toEqual(play);
    });
  });

  describe('write: every part of match decides alone', () => {
    const refusals: Record<string, (play: Play) => PlayWrite['match'] | Change['match']> = {
      'another epoch': (play) => ({ epoch: play.epoch + 1 }),
      'an earlier seq': (play) => ({ seq: play.seq - 1 }),
      'a later seq': (play) => ({ seq: play.seq + 1 }),
      'states without its own': () => ({ states: ['NEW', 'WAIT', 'DEFERRED', 'ON_HOLD'] }),
      'nobody as owner': () => ({ owner: null }),
      'another owner': () => ({ owner: 'w:2' }),
      'another heartbeatAt': () => ({ heartbeatAt: LONG_AGO }),
      'a time that has passed': () => ({ until: LONG_AGO }),
    };
    it.each(Object.keys(refusals))('refuses %s and changes nothing', async (name) => {
      const play = await claimed('w:1');
      const match = refusals[name]?.(play) ?? {};
      expect(await store.write(playKeyOf(play), change(play, { match, set: { crashes: 9 } }))).toBe(false);
      expect(await stored(play)).toEqual(play);
    });

    const matches: Record<string, (play: Play) => Change['match']> = {
      'whatever owner, when none is named': () => ({}),
      'exactly the owner that is named': () => ({ owner: 'w:1' }),
      'exactly the heartbeatAt that is named': (play) => ({ heartbeatAt: play.heartbeatAt }),
      'whatever seq, when none is named': () => ({ seq: undefined }),
      'a time that has not passed': () => ({ until: new Date(Date.now() + 3_600_000) }),
    };
    it.each(Object.keys(matches))('accepts %s', async (name) => {
      const play = await claimed('w:1');
      const match = matches[name]?.(play) ?? {};
      expect(await store.write(playKeyOf(play), change(play, { match, set: { crashes: 2 } }))).toBe(true);
      expect(await stored(play)).toMatchObject({ crashes: 2, seq: play.seq + 1 });
    });

    it('refuses a play of another company or another flow', async () => {
      const play = await accepted();
      const other = await accepted();
      const foreign = { ...playKeyOf(play), companyId: other.company_id };
      const [company, flow, own] = await Promise.all([
        store.write(foreign, claim(play, 'w:1')),
        store.write({ ...playKeyOf(play), flowId: other.flowId }, claim(play, 'w:1')),
        store.write(playKeyOf(other), claim(other, 'w:2')),
      ]);
      expect([company, flow, own]).toEqual([false, false, true]);
      expect(await stored(play)).toEqual(play);
    });

    it('lets one of 50 parallel claims win', async () => {
      const play = await accepted();
      const claims = Array.from({ length: 50 }, (_, i) => store.write(playKeyOf(play), claim(play, `w:${i}`)));
      const answers = await Promise.all(claims);
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await stored(play)).toMatchObject({ owner: `w:${answers.indexOf(true)}`, seq: 2 });
    });

    it('answers each of many parallel writes for itself', async () => {
      const plays = await Promise.all(Array.from({ length: 20 }, () => accepted()));
      const answers = await Promise.all(
        plays.map((play, i) => store.write(playKeyOf(play), claim(play, `w:${i}`, i % 3 === 0 ? { epoch: 7 } : {}))),
      );
      expect(answers).toEqual(plays.map((_, i) => i % 3 !== 0));
    });
  });

  describe('write: all of it', () => {
    it('sets, unsets, appends in order, and touches with the server’s clock', async () => {
      const play = await claimed('w:1');
      const at = new Date('2030-01-01T00:00:00.000Z');
      const out = { text: '$seq', 'dotted.name': { $literal: '$owner' }, list: [1, null] };
      const done = { startedAt: at, completedAt: at, outBytes: 9, attempts: 1, by: 'w:1', state: 'DONE' } as const;
      const results = [0, 1].map((position) => ({ ...done, position, ref: `l${position}`, name: 'L', out }));
      const write: PlayWrite = {
        match: { epoch: 1, seq: play.seq, states: ['RUN'], owner: 'w:1' },
        set: { state: 'DONE', cursor: 2, seq: play.seq + 2, crashes: 0 },
        unset: ['owner', 'heartbeatAt', 'dueAt'],
        touch: ['completedAt'],
        layers: results,
        log: numberEvents(play.seq, [
          { type: 'complete', layer: 0, state: 'DONE', at },
          { type: 'complete', layer: 1, state: 'DONE', at },
        ]),
      };
      expect(await store.write(playKeyOf(play), write)).toBe(true);
      const { owner: _owner, heartbeatAt: _heartbeatAt, ...rest } = play;
      const after = await stored(play);
      expect(after).toEqual({
        ...rest,
        state: 'DONE',
        cursor: 2,
        seq: play.seq + 2,
        completedAt: expect.any(Date) as Date,
        layers: results,
        log: [...play.log, ...write.log],
      });
      expect(after.completedAt?.getTime()).toBeGreaterThan(LONG_AGO.getTime());
      expect(Object.keys(after)).not.toContain('owner');
    });

    it('keeps results in the order in which they were recorded, whatever their positions', async () => {
      const play = await claimed('w:1');
      const at = new Date('2030-01-01T00:00:00.000Z');
      const result = (position: number) => ({
        ...({ position, ref: `l${position}`, name: 'L', state: 'DONE', startedAt: at, completedAt: at } as const),
        ...{ out: null, outBytes: 4, attempts: 1, by: 'w:1' },
      });
      const record = async (before: Play, positions: readonly number[]) => {
        const write = change(before, { set: { cursor: before.cursor + positions.length } });
        await store.write(playKeyOf(play), { ...write, layers: positions.map(result) });
        return stored(play);
      };
      const after = await record(await record(play, [2]), [0, 1]);
      expect(after.layers.map(({ position }) => position)).toEqual([2, 0, 1]);
      expect(after.cursor).toBe(3);
    });

    it('keeps what the play waits for as it is said, and forgets it with every other field of open plays', async () => {
      const play = await accepted();
      const at = new Date('2030-01-01T00:00:00.000Z');
      const event = { name: '$owner', key: 'a.b' };
      const waits = { '3': { position: 3, ref: 'w', kind: 'event', since: at, until: null, event } } as const;
      const open = {
        waits,
        waitsFor: ['event:$owner\na.b'],
        tries: { '4': 2 },
        deadlineAt: at,
        queues: ['flow:f'],
      } as const;
      await store.write(playKeyOf(play), change(play, { set: open }));
      const waiting = await stored(play);
      expect(waiting).toMatchObject(open);
      await store.write(playKeyOf(play), endWrite(waiting, { code: 'x', message: 'X', ref: null }, at));
      const ended = await stored(play);
      expect(ended).toMatchObject({ state: 'FAIL', seq: 4 });
      for (const field of OPEN_FIELDS) expect(ended).not.toHaveProperty(field);
    });

    it('adds to the inbox, takes one answer off, and keeps what is there', async () => {
      const play = await accepted();
      const first = { position: 0, payload: { say: '$owner', 'a.b': 1 } };
      await store.write(playKeyOf(play), change(play, { inbox: first }));
      const after = await stored(play);
      await store.write(playKeyOf(play), change(after, { inbox: { position: 12, payload: null } }));
      const both = await stored(play);
      expect(both.inbox).toEqual({ '0': first.payload, '12': null });
      await store.write(playKeyOf(play), change(both, { unset: ['inbox.0'] }));
      expect((await stored(play)).inbox).toEqual({ '12': null });
    });
  });

  describe('renew', () => {
    it('is a sign of life of those that are owned, and gives back the others', async () => {
      const mine = await claimed('w:1');
      const other = await claimed('w:2');
      const parked = await claimed('w:3');
      await store.write(playKeyOf(parked), change(parked, { set: { state: 'WAIT' }, unset: ['owner', 'heartbeatAt'] }));
      const old = await accepted();
      await store.write(playKeyOf(old), change(old, { set: { state: 'ON_HOLD', held: 'RUN', owner: 'w:4' } }));
      const owned = [mine, other, parked, old].map((play, i) => ({
        key: playKeyOf(play),
        owner: `w:${[1, 9, 3, 4][i]}`,
      }));
      expect(await store.renew(owned)).toEqual([owned[1], owned[2]]);
      expect(await stored(other)).toEqual(other);
      const held = await stored(old);
      expect(held.heartbeatAt?.getTime()).toBeGreaterThan(LONG_AGO.getTime());
      expect(held).toMatchObject({ seq: 2, epoch: 1, state: 'ON_HOLD', owner: 'w:4' });
      expect(await store.renew(owned.slice(0, 1))).toEqual([]);
    });

    it('has nothing to do for nobody', async () => {
      expect(await store.renew([])).toEqual([]);
    });
  });

  describe('a play that is not there', () => {
    it('is not found, not written, and nobody’s', async () => {
      const play = newPlay();
      const [found, written, lost] = await Promise.all([
        store.find(playKeyOf(play)),
        store.write(playKeyOf(play), claim(play, 'w:1')),
        store.renew([{ key: playKeyOf(play), owner: 'w:1' }]),
      ]);
      expect([found, written, lost]).toEqual([null, false, [{ key: playKeyOf(play), owner: 'w:1' }]]);
    });

    it('is not found in another company or flow, even beside one that is', async () => {
      const play = await accepted();
      const other = await accepted();
      const found = await Promise.all([
        store.find({ ...playKeyOf(play), companyId: other.company_id, flowId: other.flowId }),
        store.find(playKeyOf(other)),
        store.find({ ...playKeyOf(play), flowId: other.flowId }),
      ]);
      expect(found.map((one) => one?._id)).toEqual([undefined, other._id, undefined]);
    });
  });
}
