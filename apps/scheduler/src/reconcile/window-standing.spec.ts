import type { OpenPlay } from '@weft/engine';
import type { WindowView } from '@weft/queue';
import { describe, expect, it } from 'vitest';
import { standingOf } from './window-standing.js';

const play = (id: string, change: Partial<OpenPlay> = {}): OpenPlay =>
  ({ _id: id, state: 'NEW', epoch: 1, priority: 0, ...change }) as OpenPlay;
const view = (change: Partial<WindowView> = {}): WindowView => ({
  ...{ cursor: 'm', waiting: 0, from: 'c', exists: true, rung: new Set<string>() },
  ...change,
});
const GONE = view({ cursor: '', from: '', exists: false });

describe('a play’s standing in its company’s window', () => {
  it('is rung as a member, up to the cursor, and after its first ring', () => {
    expect(standingOf(play('x'), view({ rung: new Set(['x']) }))).toBe('rung');
    expect(standingOf(play('d'), view())).toBe('rung');
    expect(standingOf(play('d'), view({ waiting: 5 }))).toBe('rung');
    expect(standingOf(play('x', { epoch: 2 }), GONE)).toBe('rung');
    expect(standingOf(play('x', { state: 'RUN' }), GONE)).toBe('rung');
  });

  it('is waiting behind the cursor while others wait, and so is every play with a priority', () => {
    expect(standingOf(play('x'), view({ waiting: 1 }))).toBe('waits');
    expect(standingOf(play('a', { priority: 3 }), view({ waiting: 1 }))).toBe('waits');
  });

  it('is unknown to a cache that is gone, that was begun after it, or in which nobody waits', () => {
    expect(standingOf(play('a'), GONE)).toBe('unknown');
    expect(standingOf(play('b'), view())).toBe('unknown');
    expect(standingOf(play('b'), view({ waiting: 7 }))).toBe('unknown');
    expect(standingOf(play('x'), view())).toBe('unknown');
    expect(standingOf(play('d', { priority: -1 }), view())).toBe('unknown');
  });

  it('is known to a cache that does not say since when it knows', () => {
    expect(standingOf(play('a'), view({ from: '' }))).toBe('rung');
  });
});
