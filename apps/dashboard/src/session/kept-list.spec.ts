import { expect, it } from 'vitest';
import { readKept } from './kept-list';

const texts = (text: string | undefined) => readKept(text, (each) => (typeof each === 'string' ? each : null));

it('reads what is stored, whatever it is, and no more than is kept', () => {
  expect([texts('["f",1,null]'), texts('{'), texts('{}'), texts(undefined)]).toEqual([['f'], [], [], []]);
  expect(texts(JSON.stringify(Array.from({ length: 60 }, String)))).toHaveLength(50);
});
