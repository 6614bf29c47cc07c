import { READ_MESSAGE } from '@weft/runs';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { dying, killAtEach } from '../../../../../test/fixtures/dying-mongo.js';
import { sourceFixture } from '../source-reader.fixture.js';
import type { SourceKind } from '../source.js';
import { openList } from './list-source.js';

const fixture = await sourceFixture();
const { trigger, reader, playsOf } = fixture;

/** A list that changes each time that it is asked for: new items come first, and some are in another place. */
function changingList(total: number): SourceKind & { readonly isWhole: () => boolean } {
  let asked = 0;
  return {
    isUnordered: true,
    read: READ_MESSAGE.poll,
    isWhole: () => asked > total,
    open: ({ cursors, signal }) =>
      openList(
        () => {
          asked += 1;
          const count = Math.min(asked, total);
          const items = Array.from({ length: count }, (_, n) => ({ id: `${n}`, value: { n }, at: null }));
          return Promise.resolve({
            items: [...items.slice(asked % count), ...items.slice(0, asked % count)],
            cursor: null,
          });
        },
        { everyMs: 1, takesAll: true, cursors, signal },
      ),
  };
}

describe('the plays of a list', () => {
  it('are one of each item, whichever call of the process before was its last, and whatever came into the list meanwhile, also where plays have failed', async () => {
    const kills = await killAtEach(async (kill) => {
      const list = changingList(5);
      const one = await trigger({ type: 'poll' });
      const { mongo, isDead } = dying(fixture.mongo, kill);
      const made = async () => (await playsOf(one)).map(({ args }) => args.n).toSorted();
      const isDone = async () => list.isWhole() && (await made()).length >= 5;
      const stop = new AbortController();
      const first = reader(one, list, { of: mongo }).run(stop.signal);
      await waitFor(async () => isDead() || (await isDone()), { what: 'the process to die, or to be done' });
      stop.abort();
      await first;
      await fixture.fail((await playsOf(one)).map(({ _id }) => _id));
      const again = new AbortController();
      const second = reader(one, list).run(again.signal);
      await waitFor(isDone, { what: 'a play of each' });
      again.abort();
      await second;
      expect(await made()).toEqual([0, 1, 2, 3, 4]);
      return isDead();
    });
    expect(kills).toBeGreaterThan(3);
  });
});
