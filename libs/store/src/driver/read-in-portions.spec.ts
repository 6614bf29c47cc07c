import { expect, it } from 'vitest';
import { readInPortions } from './read-in-portions.js';

/** Answers of the server with some documents each; notes in which round of the event loop a document was decoded. */
function cursorOf(answers: readonly (readonly number[])[]) {
  let round = 0;
  const decoded: number[][] = [];
  const buffered: number[] = [];
  const decode = (doc: number): number => {
    (decoded[round] ??= []).push(doc);
    return doc;
  };
  const count = (): void => {
    round += 1;
    if (round < 100) setImmediate(count);
  };
  setImmediate(count);
  const cursor = {
    async *[Symbol.asyncIterator]() {
      for (const answer of answers) {
        buffered.push(...(await Promise.resolve(answer)));
        for (let next = buffered.shift(); next !== undefined; next = buffered.shift()) yield decode(next);
      }
    },
    readBufferedDocuments: (limit = Infinity) => buffered.splice(0, limit).map(decode),
  };
  return { cursor, decoded };
}

it('decodes what is small in one go, of all answers', async () => {
  const { cursor, decoded } = cursorOf([[1, 2, 3], [4]]);
  expect(await readInPortions(cursor, () => 10, 100)).toEqual([1, 2, 3, 4]);
  expect(decoded).toEqual([[1, 2, 3, 4]]);
});

it('lets the event loop go round between portions of what is large', async () => {
  const { cursor, decoded } = cursorOf([
    [1, 2, 3, 4, 5],
    [6, 7],
  ]);
  expect(await readInPortions(cursor, () => 50, 100)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(decoded.filter(Boolean).map((docs) => docs.length)).toEqual([2, 2, 2, 1]);
});
