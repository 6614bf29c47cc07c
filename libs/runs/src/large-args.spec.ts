import { type Play } from '@weft/engine';
import { aPlay } from '@weft/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptWithArgs, areSmall, boundedUnits, type ArgsStores } from './large-args.js';

const LIMIT = 16 * 1024;
const FILE = 'a'.repeat(24);
const GONE = 'b'.repeat(24);
const ref = { $ref: 'payload', bytes: 20_000 };

function playWith(args: Play['args']): Play {
  return aPlay({ args, serverNow: new Date(0) });
}

/** The stores as ports: they record the order in which they are called. */
function stores(answer: (play: Play) => Awaited<ReturnType<ArgsStores['store']['accept']>>) {
  const steps: unknown[] = [];
  const made: ArgsStores = {
    store: {
      accept: async (play) => {
        steps.push(['accept', play.args, play.argsRef]);
        return answer(play);
      },
    },
    payloads: {
      putArgs: async (_scope, { playId }, content) => {
        steps.push(['put', playId, Buffer.from(content).toString().length]);
        return ref;
      },
      adopt: async () => void steps.push('adopt'),
      discard: async () => void steps.push('discard'),
      letGo: async () => steps.push('let go'),
      userFiles: {
        use: async (_scope, ids, playId) => {
          steps.push(['use', ids, playId]);
          return !ids.includes(GONE);
        },
      },
    },
    onNotAdopted: () => void steps.push('not adopted'),
  };
  return { steps, stores: made };
}

describe('args', () => {
  const large = { text: 'x'.repeat(LIMIT) };

  it('that are small are inserted with the play', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    await acceptWithArgs(playWith({ n: 1 }), made);
    expect(steps).toEqual([['accept', { n: 1 }, undefined]]);
  });

  it('with integers that MongoDB would change are stored as JSON text, and read with every digit', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    await acceptWithArgs(playWith({ id: 7615917337495251231n }), made);
    expect(steps).toEqual([['put', 'p', '{"id":7615917337495251231}'.length], ['accept', {}, ref], 'adopt']);
  });

  it('that are large are durable before the play that refers to them', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    const { play } = await acceptWithArgs(playWith(large), made);
    expect(steps).toEqual([['put', 'p', LIMIT + 11], ['accept', {}, ref], 'adopt']);
    expect([play.args, play.argsRef]).toEqual([{}, ref]);
  });

  it('that nobody refers to, since the play was there, go again', async () => {
    for (const answer of [{ replayed: true }, { replayed: false, wasThere: true }] as const) {
      const { steps, stores: made } = stores((play) => ({ play, ...answer }));
      await acceptWithArgs(playWith(large), made);
      expect(steps.at(-1)).toBe('discard');
    }
  });

  it('stay when it is not known whether the play was stored', async () => {
    const { steps, stores: made } = stores(() => {
      throw new Error('the answer was lost');
    });
    await expect(acceptWithArgs(playWith(large), made)).rejects.toThrow('lost');
    expect(steps.map((step) => (Array.isArray(step) ? (step as unknown[])[0] : step))).toEqual(['put', 'accept']);
  });

  it('of a retry lie where they lay', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    await acceptWithArgs({ ...playWith({}), argsRef: ref }, made);
    expect(steps).toEqual([['accept', {}, ref]]);
  });

  it('that refer to files are stored after the play was noted with the files', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: true }));
    const file = { $ref: `/api/v1/payloads/${FILE}` };
    await acceptWithArgs(playWith({ list: [{ file }, file] }), made);
    expect(steps).toEqual([['use', [FILE], 'p'], ['accept', { list: [{ file }, file] }, undefined], 'let go']);
  });

  it('of a retry that is not stored keep what they refer to noted with it, which may be shared', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: true }));
    const file = { $ref: `/api/v1/payloads/${FILE}` };
    await acceptWithArgs({ ...playWith({ file }), retryOf: 'failed' }, made);
    expect(steps).toEqual([
      ['use', [FILE], 'p'],
      ['accept', { file }, undefined],
    ]);
  });

  it('that refer to a file which is gone are refused', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    const accepted = acceptWithArgs(playWith({ file: { $ref: `/api/v1/payloads/${GONE}` } }), made);
    await expect(accepted).rejects.toMatchObject({ code: 'unknown_id' });
    expect(steps).toEqual([['use', [GONE], 'p']]);
  });

  it('that were uploaded stay where they are, unless they are small', async () => {
    const { steps, stores: made } = stores((play) => ({ play, replayed: false }));
    const uploaded = { $ref: FILE, bytes: LIMIT + 11 };
    await acceptWithArgs(playWith(large), made, uploaded);
    await acceptWithArgs(playWith({ n: 1 }), made, uploaded);
    expect(steps).toEqual([
      ['use', [FILE], 'p'],
      ['accept', {}, uploaded],
      ['accept', { n: 1 }, undefined],
    ]);
  });

  it('are small exactly up to 16 KB of JSON', () => {
    const near = fc.record({
      text: fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '\u0001', '😀'), maxLength: 30 }),
      times: fc.integer({ min: 1, max: 700 }),
      more: fc.jsonValue(),
    });
    fc.assert(
      fc.property(near, ({ text, times, more }) => {
        const args = { text: text.repeat(times), more };
        expect(areSmall(args)).toBe(Buffer.byteLength(JSON.stringify(args)) <= LIMIT);
      }),
      { numRuns: 200 },
    );
    expect([LIMIT, LIMIT + 1].map((bytes) => areSmall({ a: 'x'.repeat(bytes - 8) }))).toEqual([true, false]);
  });
});

describe('boundedUnits', () => {
  it('makes no text of each position of a list, which costs more than to parse it', () => {
    const list = new Proxy(['a', 1, [{ b: true }]], {
      ownKeys: () => {
        throw new Error('its positions were listed');
      },
    });
    expect(boundedUnits({ list }, LIMIT)).toBe('{"list":["a"1[{"b":true}]]}'.length);
  });
});
