import { WeftError } from '@weft/kernel';
import { waitFor } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
import { Backlog, type NewPlay, type WaitingCounts } from './backlog.js';

const waits = (waiting: number, delayed = 0, resting = delayed) =>
  Promise.resolve<WaitingCounts>({ waiting, delayed, resting });

function refusal(backlog: Backlog, company = 'c', play: NewPlay = {}): WeftError | null {
  try {
    backlog.assertRoom(company, play);
    return null;
  } catch (error) {
    if (error instanceof WeftError) return error;
    throw error;
  }
}

/** Asks until there is room, from the time of another count on. */
async function countedAgain(backlog: Backlog): Promise<void> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
  expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  clock.mockRestore();
  await waitFor(() => refusal(backlog) === null, { what: 'another count' });
}

describe('Backlog', () => {
  it('refuses with Retry-After once as many plays wait as may', () => {
    const backlog = new Backlog(
      () => 3,
      () => waits(3),
    );
    backlog.add('c', 'waits', 2);
    expect(refusal(backlog)).toBeNull();
    backlog.add('c', 'waits');
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full', status: 429, retryAfterSeconds: 5 });
  });

  it('keeps companies apart', () => {
    const backlog = new Backlog(
      () => 1,
      () => waits(1),
    );
    backlog.add('c', 'waits', 5);
    expect(refusal(backlog, 'other')).toBeNull();
  });

  it('asks again by itself while it is full, and has room when nobody waits any more', async () => {
    let asked = 0;
    const backlog = new Backlog(
      () => 1,
      () => waits((asked += 1) === 1 ? 1 : 0),
    );
    backlog.add('c', 'waits');
    await new Promise(setImmediate);
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
    await countedAgain(backlog);
    expect(asked).toBe(2);
  });

  it('keeps what it accepts while MongoDB is counting, so that the bound holds', async () => {
    const backlog = new Backlog(
      () => 3,
      () => waits(1),
    );
    for (let i = 0; i < 3; i += 1) backlog.add('c', 'waits');
    await new Promise(setImmediate);
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  });

  it('counts what it accepts until it asks again', async () => {
    let waiting = 2;
    let asked = 0;
    const backlog = new Backlog(
      () => 4,
      () => {
        asked += 1;
        return waits(waiting);
      },
    );
    backlog.add('c', 'waits');
    await new Promise(setImmediate);
    expect(asked).toBe(1);
    expect(refusal(backlog)).toBeNull();
    waiting = 0;
    backlog.add('c', 'waits');
    // three wait as far as is known, and one that may be counted twice
    backlog.add('c', 'waits');
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  });

  it('bounds delayed plays by themselves, and says so', async () => {
    let delayed = 3;
    const backlog = new Backlog(
      () => 3,
      () => waits(0, delayed),
    );
    backlog.add('c', 'isDelayed');
    await new Promise(setImmediate);
    expect(refusal(backlog, 'c', { isDelayed: true })).toMatchObject({
      code: 'backlog_full',
      message: expect.stringContaining('plays of the company are to start later') as string,
    });
    expect(refusal(backlog)).toBeNull();
    delayed = 1;
    const fresh = new Backlog(
      () => 3,
      () => waits(0, delayed),
    );
    fresh.add('c', 'isDelayed');
    await new Promise(setImmediate);
    expect(refusal(fresh, 'c', { isDelayed: true })).toBeNull();
    fresh.add('c', 'isDelayed', 2);
    expect(refusal(fresh, 'c', { isDelayed: true })).not.toBeNull();
  });

  it('bounds what rests, though every play begins at once, and says what to do', async () => {
    let resting = 9;
    const backlog = new Backlog(
      () => 3,
      () => waits(0, 0, resting),
    );
    backlog.add('c', 'begins');
    await new Promise(setImmediate);
    expect(refusal(backlog)).toMatchObject({
      code: 'backlog_full',
      message: expect.stringMatching(/^9 plays of the company rest .* 9 may\. Answer, release or cancel/) as string,
    });
    expect(refusal(backlog, 'other')).toBeNull();
    // a play that rests waits for it
    expect(refusal(backlog, 'c', { isAwaited: true })).toBeNull();
    resting = 8;
    await countedAgain(backlog);
  });

  it('counts again after a part of what may wait has begun', async () => {
    const asked = vi.fn(() => waits(0));
    const backlog = new Backlog(() => 100, asked);
    const clock = vi.spyOn(performance, 'now');
    for (const [atMs, begun, times] of [
      [0, 1, 1],
      [5_000, 4, 1],
      [5_000, 1, 2],
      [5_000, 50, 2],
      [6_000, 1, 3],
    ] as const) {
      clock.mockReturnValue(atMs);
      backlog.add('c', 'begins', begun);
      await new Promise(setImmediate);
      expect(asked).toHaveBeenCalledTimes(times);
    }
    clock.mockRestore();
  });

  it('spends no more than a twentieth of the time on counting', async () => {
    const asked = vi.fn<() => Promise<WaitingCounts>>();
    const backlog = new Backlog(() => 1, asked);
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(0);
    asked.mockReturnValueOnce(waits(1)).mockReturnValueOnce(waits(1));
    backlog.add('c', 'waits');
    clock.mockReturnValue(300);
    await new Promise(setImmediate);
    for (const [atMs, times] of [
      [5_999, 1],
      [6_000, 2],
    ] as const) {
      clock.mockReturnValue(atMs);
      refusal(backlog);
      expect(asked).toHaveBeenCalledTimes(times);
    }
    clock.mockRestore();
  });
});
