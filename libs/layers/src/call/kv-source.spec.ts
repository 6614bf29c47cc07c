import { describe, expect, it } from 'vitest';
import { KvTally, kvOf, type KvSource } from './kv-source.js';

function setUp() {
  const asked: unknown[][] = [];
  const tally = new KvTally();
  const source: KvSource = {
    get: async (...args) => (asked.push(['get', ...args]), { value: 1, existed: true, version: 5 }),
    add: async (...args) => (asked.push(['add', ...args]), { value: 1, existed: true, version: 5 }),
    set: async (...args) => (asked.push(['set', ...args]), { existed: true, version: 6 }),
    increment: async (_company, { key }) =>
      key === 'text' ? { refused: 'not_a_number' } : { value: 2, existed: true, version: 7 },
    delete: async (...args) => (asked.push(['delete', ...args]), { refused: 'version_conflict' }),
  };
  return { asked, tally, kv: kvOf(source, 'company', 'play.0', () => tally) };
}

describe('the store of a call', () => {
  it('is that of its company, and names each change by the layer and its number', async () => {
    const { asked, kv } = setUp();
    await kv.set('a', { x: 1 });
    await kv.increment('b');
    await kv.add('a', 1, 5);
    await expect(kv.delete('a', 4)).rejects.toMatchObject({ code: 'version_conflict' });
    await kv.get('a');
    expect(asked).toEqual([
      ['set', 'company', { key: 'a', once: 'play.0#1' }, { x: 1 }, null],
      ['add', 'company', { key: 'a', once: 'play.0#3' }, 1, 5],
      ['delete', 'company', { key: 'a', once: 'play.0#4', ifVersion: 4 }],
      ['get', 'company', 'a'],
    ]);
  });

  it('counts what is done with it, refused changes included', async () => {
    const { tally, kv } = setUp();
    expect(tally.use).toBeUndefined();
    await kv.get('a');
    await kv.set('b', 1);
    await expect(kv.increment('text')).rejects.toMatchObject({ code: 'not_a_number' });
    await expect(kv.delete('a')).rejects.toMatchObject({ code: 'version_conflict' });
    expect(tally.use).toEqual({ reads: 1, writes: 3, keys: ['a', 'b', 'text'] });
  });

  it('names a hundred keys', async () => {
    const { tally, kv } = setUp();
    for (let n = 0; n < 101; n += 1) await kv.get(`k${n}`);
    expect(tally.use).toMatchObject({ reads: 101, keys: { length: 100 } });
  });

  it('refuses a value that is too large before it is sent anywhere', async () => {
    const { asked, kv } = setUp();
    await kv.set('a', 'x'.repeat(65_534));
    await expect(kv.set('a', 'x'.repeat(65_535))).rejects.toMatchObject({ code: 'value_too_large' });
    expect(asked).toHaveLength(1);
  });
});
