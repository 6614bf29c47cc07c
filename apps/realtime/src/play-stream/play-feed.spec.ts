import { CLOSE } from '@weft/contracts';
import { RESULTS_PER_READ } from '@weft/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepted, feedFixture as fixture, shown, turn, write } from '../../../../test/fixtures/feed-fixture.js';

/** `npm run test:faults` makes three times as many as each day. */
const RUNS = process.env.WEFT_EVERY === undefined ? 20 : 60;

describe('the feed of watched plays', () => {
  it('gives every watcher the journal from its number on, once and in order, whatever is lost, late or slow', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), layers: fc.integer({ min: 0, max: 20 }), end: fc.boolean() }),
      fc.record({ do: fc.constantFrom('notice', 'gap', 'compare', 'drain'), pick: fc.nat() }),
      fc.record({ do: fc.constantFrom('answer', 'fail'), pick: fc.nat() }),
      fc.record({
        do: fc.constant('watch' as const),
        play: fc.constantFrom('p1', 'p2'),
        fromSeq: fc.integer({ min: 1, max: 30 }),
        room: fc.constantFrom(1, 3, 10, Infinity),
      }),
    );
    const steps = fc.array(fc.tuple(fc.constantFrom('p1', 'p2'), step), { minLength: 5, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(1_500, undefined), async (moves, roundBytes) => {
        const { stored, notices, feed, watch, settle, counted } = fixture(roundBytes);
        const watching: (ReturnType<typeof watch> & { compared: number })[] = [];
        const lost: [string, number][] = [];
        for (const id of ['p1', 'p2']) stored.plays.set(id, accepted(id));
        const drain = ({ sink, watcher }: ReturnType<typeof watch>) => {
          if (!sink.isFull) return; // a socket reports room only after it had none
          sink.empty();
          feed.resume(watcher);
        };
        const store = (id: string, layers: number, end: boolean) => {
          const next = write(stored.plays.get(id) ?? accepted(id), layers, end);
          stored.plays.set(id, next);
          lost.push([id, next.seq]);
        };
        for (const [id, move] of moves) {
          if (move.do === 'write') store(id, move.layers, move.end && move.layers > 15);
          else if (move.do === 'watch') watching.push({ ...watch(move.play, move.fromSeq, move.room), compared: 0 });
          else if (move.do === 'gap') notices.gap();
          else if (move.do === 'compare') void feed.compare();
          else if (move.do === 'notice') for (const [play, seq] of lost.splice(move.pick % 3)) notices.tell(play, seq);
          else if (move.do === 'drain') {
            const one = watching[move.pick % Math.max(1, watching.length)];
            if (one) drain(one);
          } else {
            const [held] = stored.waiting.splice(move.pick % Math.max(1, stored.waiting.length), 1);
            if (move.do === 'answer') held?.answer();
            else held?.fail();
          }
          await turn();
          for (const one of watching) {
            const { frames } = one.sink;
            const all = shown(stored.plays.get(one.watcher.play.playId), one.fromSeq);
            expect(frames.slice(one.compared)).toEqual(all.slice(one.compared, frames.length));
            one.compared = frames.length;
          }
        }
        for (const id of ['p1', 'p2']) store(id, 1, true);
        await settle(); // a comparison in progress may have read before the last write; the next one counts
        void feed.compare();
        await settle();
        while (watching.some(({ sink }) => sink.isFull && !sink.isClosing)) {
          watching.forEach(drain);
          await settle();
        }
        for (const { sink, fromSeq, watcher } of watching) {
          expect(sink.frames).toEqual(shown(stored.plays.get(watcher.play.playId), fromSeq));
          expect(sink.closes).toEqual([CLOSE.complete]);
        }
        expect(counted.frames).toBe(watching.reduce((sum, { sink }) => sum + sink.frames.length, 0));
      }),
      { numRuns: RUNS },
    );
  });

  it('asks only for results that were not sent, and not again for a watcher that takes nothing', async () => {
    const { stored, notices, watch, settle } = fixture();
    stored.plays.set('p1', write(accepted('p1'), 10, false));
    const slow = watch('p1', 1, 4);
    await settle();
    const quick = watch('p1');
    await settle();
    expect([stored.readsOfResults, slow.sink.frames.length, quick.sink.frames.length]).toEqual([20, 4, 21]);
    stored.plays.set('p1', write(stored.plays.get('p1') ?? accepted('p1'), 1, true));
    notices.tell('p1', stored.plays.get('p1')?.seq ?? 0);
    await settle();
    expect([stored.readsOfResults, slow.sink.frames.length, quick.sink.closes]).toEqual([21, 4, [CLOSE.complete]]);
  });

  it('reads nothing for notices of plays that nobody watches, or of what was read already', async () => {
    const { stored, notices, watch, settle } = fixture();
    stored.plays.set('p1', write(accepted('p1'), 1, false));
    watch('p1');
    await settle();
    const seq = stored.plays.get('p1')?.seq ?? 0;
    notices.tell('p2', 99);
    notices.tell('p1', seq);
    await turn();
    expect(stored.waiting.length).toBe(0);
    notices.tell('p1', seq + 1);
    await turn();
    expect(stored.waiting.length).toBe(1);
  });

  it('goes on by itself until everything is sent that one read does not give', async () => {
    const { stored, watch, settle } = fixture();
    stored.plays.set('p1', write(accepted('p1'), 3 * RESULTS_PER_READ, true));
    const { sink } = watch('p1');
    await settle();
    expect(sink.frames).toEqual(shown(stored.plays.get('p1'), 1));
  });

  it('has no more plays of a company in memory than it reads at once, however many are watched', async () => {
    const { stored, watch } = fixture();
    const ids = Array.from({ length: 100 }, (_, i) => `p${i}`);
    for (const id of ids) stored.plays.set(id, write(accepted(id), 10, false));
    const watching = ids.map((id) => watch(id));
    const told = () => watching.filter(({ sink }) => sink.frames.length === 21).length;
    let untold = 0;
    while (told() < ids.length) {
      await turn();
      untold = Math.max(untold, stored.readsOfResults / 10 - told());
      stored.waiting.splice(0).forEach((one) => one.answer());
    }
    expect(untold).toBe(32);
  });

  it('reads again what it could not read, when MongoDB is back', async () => {
    const { stored, feed, watch, settle } = fixture();
    stored.plays.set('p1', write(accepted('p1'), 2, true));
    watch('p1', 1, 1);
    await settle();
    const { sink } = watch('p1');
    await turn();
    for (const one of stored.waiting.splice(0)) one.fail();
    await turn();
    expect([sink.frames, stored.waiting.length]).toEqual([[], 0]);
    void feed.compare();
    await settle();
    expect(sink.frames).toEqual(shown(stored.plays.get('p1'), 1));
  });

  it('says that a play is gone, also when a comparison finds out', async () => {
    const { stored, feed, watch, settle } = fixture();
    stored.plays.set('p1', accepted('p1'));
    const { sink } = watch('p1');
    await settle();
    stored.plays.delete('p1');
    void feed.compare();
    await settle();
    expect(sink.closes).toContain(CLOSE.playDeleted);
  });

  it('never shows a play to a watcher of another company', async () => {
    const { stored, watch, settle } = fixture();
    stored.plays.set('p1', write(accepted('p1'), 1, true));
    const { sink } = watch('p1', 1, Infinity, 'c2');
    await settle();
    expect([sink.frames, sink.closes]).toEqual([[], [CLOSE.playDeleted]]);
  });

  it('shows nothing to a watcher whose right is in doubt, and everything once it is not', async () => {
    const { stored, feed, watch, settle } = fixture();
    stored.plays.set('p1', accepted('p1'));
    const { sink, watcher } = watch('p1');
    await settle();
    watcher.suspended = true;
    stored.plays.set('p1', write(accepted('p1'), 1, true));
    void feed.compare();
    await settle();
    expect(sink.frames).toEqual([]);
    watcher.suspended = false;
    feed.resume(watcher);
    await settle();
    expect(sink.frames).toEqual(shown(stored.plays.get('p1'), 1));
  });

  it('hears of a company only as long as it has watchers there', () => {
    const { notices, feed, watch } = fixture();
    const [one, other] = [watch('p1'), watch('p2')];
    expect([...notices.listeners.keys()]).toEqual(['c1']);
    feed.delete(one.watcher);
    expect(notices.listeners.size).toBe(1);
    feed.delete(other.watcher);
    feed.delete(other.watcher);
    expect(notices.listeners.size).toBe(0);
  });
});
