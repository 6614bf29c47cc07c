import { PLAY_STATES, type PlayState } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { withMove, type Counts } from './counts';
import type { Play } from './play';

const none = Object.fromEntries(PLAY_STATES.map((state) => [state, 0])) as Record<PlayState, number>;
const counts = (fields: Partial<Counts['counts']>): Counts => ({ counts: { ...none, ...fields }, capped: [] });
const play = (state: PlayState, fields: Partial<Play> = {}): Play => ({ state, flowId: 'f', ...fields }) as Play;

describe('withMove', () => {
  it('takes a play from its state before to its state now', () => {
    expect(withMove(counts({ RUN: 2, DONE: 5 }), play('DONE'), 'RUN', {})).toEqual(counts({ RUN: 1, DONE: 6 }));
    expect(withMove(counts({ NEW: 1 }), play('NEW'), null, {})).toEqual(counts({ NEW: 2 }));
  });

  it('counts what comes into the filter only now, and nothing outside of it', () => {
    const error = { code: 'timeout', message: '', ref: null };
    const failed = play('FAIL', { error, completedAt: '2026-01-02T00:00:00.000Z' });
    expect(withMove(counts({ RUN: 1 }), failed, 'RUN', { errorCode: 'timeout' })).toEqual(counts({ RUN: 1, FAIL: 1 }));
    expect(withMove(counts({ RUN: 1 }), failed, 'RUN', { flowId: 'g' })).toEqual(counts({ RUN: 1 }));
  });
});
