import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { Backlog, type WaitingCounts } from './backlog.js';

const waits = (outsideWindow: number, queued = 0, due = 0, delayed = 0) =>
  Promise.resolve<WaitingCounts>({ outsideWindow, queued, due, delayed });

function refusal(backlog: Backlog, company = 'c', isDelayed = false): WeftError | null {
  try {
    backlog.assertRoom(company, isDelayed);
    return null;
  } catch (error) {
    if (error instanceof WeftError) return error;
    throw error;
  }
}

describe('Backlog', () => {
  it('refuses with Retry-After once as many plays wait as may', () => {
    const backlog = new Backlog(
      () => 3,
      () => waits(3),
    );
    backlog.setOutsideWindow('c', 2);
    expect(refusal(backlog)).toBeNull();
    backlog.addOutsideWindow('c');
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full', status: 429, retryAfterSeconds: 5 });
  });

  it('keeps companies apart', () => {
    const backlog = new Backlog(
      () => 1,
      () => waits(1),
    );
    backlog.setOutsideWindow('c', 5);
    expect(refusal(backlog, 'other')).toBeNull();
  });

  it('counts what it accepts only while others wait', () => {
    const backlog = new Backlog(
      () => 1,
      () => waits(1),
    );
    for (let i = 0; i < 5; i += 1) backlog.addOutsideWindow('c');
    expect(refusal(backlog)).toBeNull();
  });

  it('asks again by itself while it is full, and has room when the queue says so', async () => {
    let asked = 0;
    const backlog = new Backlog(
      () => 1,
      () => {
        asked += 1;
        return waits(0);
      },
    );
    backlog.setOutsideWindow('c', 1);
    const again = performance.now();
    while (refusal(backlog) && performance.now() - again < 5_000) await new Promise((resolve) => setImmediate(resolve));
    expect(refusal(backlog)).toBeNull();
    expect(asked).toBe(1);
  });

  it('keeps what it accepts while the stores are counting, so that the bound holds', async () => {
    const backlog = new Backlog(
      () => 3,
      () => waits(0, 1),
    );
    backlog.addQueued('c');
    backlog.addQueued('c');
    backlog.addQueued('c');
    await new Promise(setImmediate);
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  });

  it('counts plays that wait for their admission, and asks how many are left of them', async () => {
    let queued = 2;
    let asked = 0;
    const backlog = new Backlog(
      () => 4,
      () => {
        asked += 1;
        return waits(1, queued);
      },
    );
    backlog.addQueued('c');
    await new Promise(setImmediate);
    expect(asked).toBe(1);
    expect(refusal(backlog)).toBeNull();
    queued = 0;
    backlog.addQueued('c');
    // three are in the queue as far as is known, one waits for room in the window
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  });

  it('bounds delayed plays by themselves, and says so', async () => {
    let delayed = 3;
    const backlog = new Backlog(
      () => 3,
      () => waits(0, 0, 0, delayed),
    );
    backlog.addDelayed('c');
    await new Promise(setImmediate);
    expect(refusal(backlog, 'c', true)).toMatchObject({
      code: 'backlog_full',
      message: expect.stringContaining('3 plays of the company are to start later') as string,
    });
    expect(refusal(backlog)).toBeNull();
    delayed = 2;
    const fresh = new Backlog(
      () => 3,
      () => waits(0, 0, 0, delayed),
    );
    fresh.addDelayed('c');
    await new Promise(setImmediate);
    expect(refusal(fresh, 'c', true)).toBeNull();
    fresh.addDelayed('c');
    expect(refusal(fresh, 'c', true)).not.toBeNull();
  });

  it('counts delayed plays that are due as ones that wait', async () => {
    const backlog = new Backlog(
      () => 4,
      () => waits(1, 1, 2),
    );
    backlog.addDelayed('c');
    await new Promise(setImmediate);
    expect(refusal(backlog)).toMatchObject({ code: 'backlog_full' });
  });

  it('keeps what is queued when the window says that nobody waits for room in it', () => {
    const backlog = new Backlog(
      () => 1,
      () => waits(0, 1),
    );
    backlog.addQueued('c');
    backlog.setOutsideWindow('c', 0);
    expect(refusal(backlog)).not.toBeNull();
  });
});
