import { expect, it } from 'vitest';
import { AT, playIn } from '../../model/build.js';
import { applyWrite } from '../play-write.js';
import type { Play } from '../play.js';
import { reissueWrite } from '../reconcile/reconcile.js';
import { UNREADY_LIMITS, unreadyWrite, type UnreadyReason } from './unready.js';

const errorOf = (code: UnreadyReason) => ({ code, message: 'gone', ref: null });
const after = (play: Play, code: UnreadyReason): Play =>
  applyWrite(play, unreadyWrite(play, errorOf(code), AT), AT) as Play;
const raised = (play: Play): Play => applyWrite(play, reissueWrite(play), AT) as Play;

it.each(['version_missing', 'version_unreadable'] as const)(
  'a play FAILs after so many hand-outs in a row to workers for which it is %s',
  (code) => {
    let play = playIn('NEW', { key: 'order-1' });
    for (let times = 1; times < UNREADY_LIMITS[code]; times += 1) {
      play = raised(after(play, code));
      expect(play).toMatchObject({ state: 'NEW', notBegun: { times } });
    }
    play = after(play, code);
    expect(play).toMatchObject({ state: 'FAIL', error: errorOf(code), completedAt: AT, key: 'order-1' });
    for (const field of ['notBegun', 'heartbeatAt']) expect(play).not.toHaveProperty(field);
    const told = play.log.slice(1).map(({ seq }) => seq);
    expect(told).toEqual(told.map((_seq, i) => play.seq - told.length + 1 + i));
  },
);

it('the count begins anew when anything else happened to the play', () => {
  const counted = after(after(playIn('RUN'), 'version_missing'), 'version_missing');
  expect(counted.notBegun?.times).toBe(2);
  const moved = {
    ...counted,
    seq: counted.seq + 1,
    log: [...counted.log, { ...counted.log[0]!, seq: counted.seq + 1 }],
  };
  expect(after(moved, 'version_missing')).toMatchObject({ state: 'RUN', notBegun: { times: 1 } });
});

it('nobody ends or counts a play that a worker has claimed meanwhile', () => {
  const play = playIn('RUN');
  const write = unreadyWrite({ ...play, notBegun: { seq: play.seq, times: 99 } }, errorOf('version_missing'), AT);
  expect(applyWrite({ ...play, owner: 'w:1' }, write, AT)).toBeNull();
  expect(applyWrite(play, write, AT)?.state).toBe('FAIL');
});
