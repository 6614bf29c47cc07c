import type { DestinationDocument } from '@weft/records';
import { expect, it } from 'vitest';
import { destinationBook } from './destination-book.js';

it('reads the destinations of a company when its stamp is another', async () => {
  let nowMs = 0;
  const stamps = new Map([['a', 1]]);
  const reads: (readonly string[])[] = [];
  const limited = { company_id: 'a', address: 'x:1' } as DestinationDocument;
  const book = destinationBook(
    {
      stamps: async () => new Map(stamps),
      ofCompanies: async (_scope, ids) => (reads.push(ids), ids.includes('a') ? [limited] : []),
    },
    () => nowMs,
  );
  const both = () => Promise.all(['a', 'b'].map(async (id) => (await book.get(id))?.byAddress.size));
  expect(await both()).toEqual([1, 0]);
  expect(reads).toEqual([['a', 'b']]);
  nowMs += 1_000;
  expect(await both()).toEqual([1, 0]);
  expect(reads).toHaveLength(1);
  nowMs += 1_000;
  stamps.set('a', 2);
  await both();
  expect(reads.at(-1)).toEqual(['a']);
});
