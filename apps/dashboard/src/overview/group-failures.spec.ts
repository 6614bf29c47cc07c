import { expect, it } from 'vitest';
import type { Play } from '../plays/play';
import { groupFailures } from './group-failures';

const failed = (flowId: string, code: string, ref: string, minute: number) =>
  ({ flowId, error: { code, ref }, completedAt: `2026-03-01T10:0${minute}:00.000Z` }) as Play;

it('failures are together as the list of plays finds them: by flow and code', () => {
  const newest = failed('a', 'bad_status', 'push', 3);
  const plays = [failed('a', 'bad_status', 'fetch', 1), failed('a', 'timeout', 'push', 2), newest];
  expect(groupFailures(plays).map(({ count, ref, newest: { completedAt } }) => [count, ref, completedAt])).toEqual([
    [2, null, newest.completedAt],
    [1, 'push', '2026-03-01T10:02:00.000Z'],
  ]);
});
