import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveReader } from './live-reader.js';

const caller = { userId: 'u1', companyId: 'c1', credentialId: 's1', role: 'viewer' } as Principal;

/** A reader whose rechecks the test answers, one by one. */
function fixture() {
  const closes: number[] = [];
  const asked: { readonly resolve: (caller: Principal) => void; readonly reject: (error: Error) => void }[] = [];
  const right = { may: true, held: 0, wentOn: 0 };
  const reader = new LiveReader(caller, {
    credentials: { recheck: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) },
    mayContinue: () => right.may,
    concernsFlow: (flowId) => flowId === 'f1',
    onSuspended: () => (right.held += 1),
    onConfirmed: () => (right.wentOn += 1),
    close: (code) => void closes.push(code),
    get isClosing() {
      return closes.length > 0;
    },
  });
  return { reader, asked, right, closes };
}

afterEach(() => vi.useRealTimers());

describe('the caller behind a socket', () => {
  it('goes on while credential and right hold, as the caller is now', async () => {
    const { reader, asked, right, closes } = fixture();
    const looked = reader.recheck();
    asked[0]?.resolve({ ...caller, userId: 'renamed' });
    await looked;
    expect([closes, reader.caller.userId, right.wentOn]).toEqual([[], 'renamed', 1]);
  });

  it('is sent away with 4401 when the credential has ended, with 4403 when the right has', async () => {
    const ended = fixture();
    const lookedAtEnded = ended.reader.recheck();
    ended.asked[0]?.reject(new WeftError('token_revoked', 'revoked'));
    await lookedAtEnded;
    const lost = fixture();
    lost.right.may = false;
    const lookedAtLost = lost.reader.recheck();
    lost.asked[0]?.resolve(caller);
    await lookedAtLost;
    expect([ended.closes, lost.closes]).toEqual([[CLOSE.sessionEnded], [CLOSE.rightLost]]);
  });

  it('is looked at once more when something changed while it was looked at', async () => {
    const { reader, asked, right, closes } = fixture();
    const looked = reader.recheck();
    void reader.recheck();
    void reader.recheck();
    expect(asked.length).toBe(1);
    asked[0]?.resolve(caller);
    await vi.waitFor(() => expect(asked.length).toBe(2), { timeout: 60_000 });
    right.may = false;
    asked[1]?.resolve(caller);
    await looked;
    expect([asked.length, closes]).toEqual([2, [CLOSE.rightLost]]);
  });

  it('gets nothing while nobody can tell, and goes on when somebody can', async () => {
    vi.useFakeTimers();
    const { reader, asked, right, closes } = fixture();
    const looked = reader.recheck();
    asked[0]?.reject(new Error('the store is away'));
    await looked;
    expect([right, closes]).toMatchObject([{ held: 1, wentOn: 0 }, []]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked.length).toBe(2);
    asked[1]?.resolve(caller);
    await vi.advanceTimersByTimeAsync(0);
    expect([right, closes]).toMatchObject([{ held: 1, wentOn: 1 }, []]);
  });
});
