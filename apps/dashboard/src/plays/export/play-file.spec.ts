import { describe, expect, it } from 'vitest';
import type { Play } from '../play';
import { headOf, linesOf } from './play-file';

const play = {
  id: 'p1',
  flowId: 'f1',
  state: 'FAIL',
  duration: -5,
  idempotencyKey: '=1+1',
  labels: { shop: 'vienna', note: 'a,b' },
  triggeredBy: 'a;=1+1',
  error: { code: 'timeout', message: 'said "no"\nand left', ref: null },
} as unknown as Play;

function cellsOf(line: string): Record<string, string | undefined> {
  const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(?:,|\r\n)/g)].map(([, cell]) => cell);
  return Object.fromEntries(
    headOf('csv')
      .trim()
      .split(',')
      .map((column, i) => [column, cells[i]]),
  );
}

describe('linesOf', () => {
  it('writes one quoted line for each play, without formulas', () => {
    expect(cellsOf(linesOf('csv', [play], () => 'Orders, all'))).toMatchObject({
      id: 'p1',
      flow: '"Orders, all"',
      duration: '-5',
      idempotencyKey: "'=1+1",
      triggeredBy: '"a;=1+1"',
      labels: '"shop:vienna note:a,b"',
      errorMessage: '"said ""no""\nand left"',
      errorRef: '',
    });
  });

  it('writes a play as the API gave it, one in a line', () => {
    const lines = linesOf('ndjson', [play, play], () => '')
      .trimEnd()
      .split('\n');
    expect(headOf('ndjson')).toBe('');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([play, play]);
  });
});
