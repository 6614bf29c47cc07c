import { describe, expect, it } from 'vitest';
import { TimeLimit, type LimitClock } from './time-limit.js';

/** A process whose timers do not fire while it stands still. */
class FakeProcess implements LimitClock {
  private at = 0;
  private timers: { readonly at: number; readonly call: () => void }[] = [];

  readonly nowMs = (): number => this.at;

  readonly callIn = (ms: number, call: () => void): (() => void) => {
    const timer = { at: this.at + ms, call };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((one) => one !== timer));
  };

  runs(ms: number): void {
    const until = this.at + ms;
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > until) break;
      this.timers = this.timers.filter((one) => one !== next);
      this.at = Math.max(this.at, next.at);
      next.call();
    }
    this.at = Math.max(this.at, until);
  }

  /** Time passes and no timer fires. */
  standsStill(ms: number): void {
    this.at += ms;
  }

  /** It goes on, and comes to its timers before it reads anything. */
  goesOnAfter(ms: number): void {
    this.standsStill(ms);
    this.runs(0);
  }
}

function limited(ms: number) {
  const here = new FakeProcess();
  let isOver = false;
  const limit = new TimeLimit(ms, () => (isOver = true), here);
  return { here, limit, isOver: () => isOver };
}

describe('a time limit', () => {
  it.each([0, 1, 999, 1_000, 1_001, 30_000])('is over after %i ms in which the process runs', (ms) => {
    const { here, isOver } = limited(ms);
    here.runs(ms - 1);
    expect(isOver()).toBe(false);
    here.runs(1);
    expect(isOver()).toBe(true);
  });

  it.each([0, 1, 500, 1_000, 14_321, 29_000, 29_999])(
    'gives back the time for which the process stood still after %i ms',
    (ranMs) => {
      const { here, isOver } = limited(30_000);
      here.runs(ranMs);
      here.goesOnAfter(45_000);
      expect(isOver()).toBe(false);
      // to a second: nobody knows when in a step it stood still
      here.runs(30_000 - ranMs - 1_001);
      expect(isOver()).toBe(false);
      here.runs(2_000);
      expect(isOver()).toBe(true);
    },
  );

  it('leaves a moment to read what has arrived, each time that the process stood still', () => {
    const { here, isOver } = limited(10);
    for (let i = 0; i < 3; i += 1) {
      here.runs(5);
      here.goesOnAfter(60_000);
      expect(isOver()).toBe(false);
    }
    here.runs(1_000);
    expect(isOver()).toBe(true);
  });

  it('counts what a busy process is late by', () => {
    const { here, isOver } = limited(3_000);
    for (let i = 0; i < 2; i += 1) {
      here.runs(900);
      here.goesOnAfter(600);
    }
    expect(isOver()).toBe(true);
  });

  it('does not count while it is paused', () => {
    const { here, limit, isOver } = limited(2_000);
    here.runs(1_500);
    limit.pause();
    limit.pause();
    here.runs(60_000);
    limit.resume();
    limit.resume();
    here.runs(499);
    expect(isOver()).toBe(false);
    here.runs(1);
    expect(isOver()).toBe(true);
  });

  it('gives time back also when it is paused before its timer fires', () => {
    const { here, limit, isOver } = limited(3_500);
    here.runs(1_200);
    here.standsStill(60_000);
    limit.pause();
    limit.resume();
    here.runs(1_499);
    expect(isOver()).toBe(false);
    here.runs(1);
    expect(isOver()).toBe(true);
  });

  it('is never over once it has ended', () => {
    const { here, limit, isOver } = limited(2_000);
    limit.end();
    limit.resume();
    here.runs(60_000);
    expect(isOver()).toBe(false);
  });

  it('says whether the process stood still, before and after its timer has fired, and not of a pause', () => {
    const { here, limit } = limited(30_000);
    here.runs(5_300);
    limit.pause();
    here.standsStill(45_000);
    limit.resume();
    expect(limit.stoodStill).toBe(false);
    here.standsStill(45_000);
    expect(limit.stoodStill).toBe(true);
    here.runs(0);
    limit.end();
    expect(limit.stoodStill).toBe(true);
  });
});
