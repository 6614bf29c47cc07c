import { playCountOf, playsOfJob, queueJobId, type PlayJob } from '@weft/contracts';
import { expect, it } from 'vitest';
import { groupJobs } from './group-jobs.js';

const play = (companyId: string, n: number, more: Partial<PlayJob> = {}): PlayJob => ({
  ...{ playId: `${companyId}${n}`, companyId, flowId: 'f', epoch: 1 },
  ...more,
});
const playsOf = (companyId: string, count: number) => Array.from({ length: count }, (_, n) => play(companyId, n));
const idsOf = (plays: readonly PlayJob[], most: number) => groupJobs(plays, most).map(queueJobId);

it('puts the plays of each company into jobs of at most so many, in the order in which they were rung for', () => {
  const [a0, a1, a2] = [play('a', 0), play('a', 1), play('a', 2)];
  const jobs = groupJobs([a0, play('b', 0), a1, a2, play('b', 1)], 2);
  expect(jobs.map(playsOfJob)).toEqual([[a0, a1], [play('b', 0), play('b', 1)], [a2]]);
  expect(jobs.map(queueJobId)).toEqual(['a0-1+1', 'b0-1+1', 'a2-1']);
  expect(jobs.map(queueJobId).map(playCountOf)).toEqual([2, 2, 1]);
});

it('never puts plays of two companies into one job', () => {
  expect(idsOf([play('a', 0), play('b', 0), play('c', 0)], 8)).toEqual(['a0-1', 'b0-1', 'c0-1']);
});

it('gives a job of its own to each play that was rung for or handed out before', () => {
  const again = play('a', 1, { epoch: 2 });
  const handedOut = play('a', 2, { handedOut: true });
  const jobs = groupJobs([play('a', 0), again, handedOut, play('a', 3)], 8);
  expect(jobs.map(queueJobId)).toEqual(['a0-1+1', 'a1-2', 'a2-1']);
  expect(jobs.slice(1)).toEqual([again, handedOut]);
});

it('gives each play a job of its own where workers take one', () => {
  expect(groupJobs(playsOf('a', 3), 1)).toEqual(playsOf('a', 3));
});
