import { expect, it } from 'vitest';
import type { Play } from '../plays/play';
import { lastPlays } from './last-plays';

const play = (id: string, flowId: string): Play => ({ id, flowId }) as Play;

it('the last play of a flow is the newest, in whatever order plays come', () => {
  const [a1, a2, b1] = [play('1', 'a'), play('3', 'a'), play('2', 'b')];
  expect(lastPlays([a1, b1, a2])).toEqual(
    new Map([
      ['a', a2],
      ['b', b1],
    ]),
  );
  expect(lastPlays([a2, a1])).toEqual(new Map([['a', a2]]));
});
