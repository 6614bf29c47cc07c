import { describe, expect, it } from 'vitest';
import { WindowRoom } from './window-room.js';

const finish = () => Promise.resolve(new Map());

describe('WindowRoom', () => {
  it.each([
    ['is away', () => Promise.reject(new Error('Redis is away'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('has no place while Redis %s, and does not hold up who asks', async (_what, takeRoom) => {
    const room = new WindowRoom({ takeRoom, finish }, () => () => 10);
    expect((await room.take('c', ['a'])).ids.size).toBe(0);
  });

  it('gives back what was taken and not used, and never a place that was there before', async () => {
    const finished: string[] = [];
    const window = {
      takeRoom: () =>
        Promise.resolve(
          new Map([['c', { ids: new Set(['a', 'b', 'old']), fresh: ['a', 'b'], room: 0, waits: false }]]),
        ),
      finish: (groups: ReadonlyMap<string, readonly string[]>) => {
        finished.push(...(groups.get('c') ?? []));
        return finish();
      },
    };
    const room = new WindowRoom(window, () => () => 10);
    const taken = await room.take('c', ['a', 'b', 'old', 'none']);
    room.giveBack('c', taken, new Set(['a']));
    expect(finished).toEqual(['b']);
  });
});
