import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkSession, noteChange, sessionOf } from './check';
import { isExpired, resumeSession, sessionIsBack } from './expiry';
import type { Me } from './me';

const page = { user: { id: 'ann' }, company_id: 'a' } as Me;
const elsewhere = { user: { id: 'ann' }, company_id: 'b' } as Me;

async function isHeld(): Promise<boolean> {
  return Promise.race([sessionIsBack().then(() => false), new Promise<true>((done) => setImmediate(done, true))]);
}

const settled = (): Promise<void> => new Promise(setImmediate);

/** Answers that come when a test says so. */
function answers() {
  const asked: PromiseWithResolvers<Me | null>[] = [];
  const read = (): Promise<Me | null> => {
    const answer = Promise.withResolvers<Me | null>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, read };
}

function hearLeaving() {
  const replace = vi.fn();
  vi.stubGlobal('location', { replace });
  return replace;
}

afterEach(() => {
  resumeSession();
  vi.unstubAllGlobals();
});

describe('a page whose session may have changed', () => {
  it('goes on when the session is still its own', async () => {
    await checkSession(page, () => Promise.resolve(page));
    expect(await isHeld()).toBe(false);
  });

  it('leaves, and sends nothing more, when the session is of another company', async () => {
    const replace = hearLeaving();
    await checkSession(page, () => Promise.resolve(elsewhere));
    expect(replace).toHaveBeenCalledWith('/');
    expect(await isHeld()).toBe(true);
  });

  it('waits when nobody can say', async () => {
    await checkSession(page, () => Promise.reject(new Error('unreachable')));
    expect(await isHeld()).toBe(true);
  });

  it.each([
    ['says that nothing has changed', (answer: PromiseWithResolvers<Me | null>) => answer.resolve(page)],
    ['says that nobody is signed in', (answer: PromiseWithResolvers<Me | null>) => answer.resolve(null)],
    ['fails', (answer: PromiseWithResolvers<Me | null>) => answer.reject(new Error('unreachable'))],
  ])('goes by the answer to the latest news, also when one before it comes later and %s', async (_, settle) => {
    const replace = hearLeaving();
    const { asked, read } = answers();
    const both = [checkSession(page, read), checkSession(page, read)];
    asked[1]?.resolve(elsewhere);
    await both[1];
    if (asked[0]) settle(asked[0]);
    await both[0];
    expect([await isHeld(), isExpired(), replace.mock.calls.length]).toEqual([true, false, 1]);
  });
});

describe('before the stream is opened again', () => {
  it('nothing is held up while the session is asked for', async () => {
    const { asked, read } = answers();
    const opening = sessionOf(page, read);
    expect(await isHeld()).toBe(false);
    asked[0]?.resolve(page);
    await opening;
  });

  it('a session of another company is followed, and the stream stays closed', async () => {
    const replace = hearLeaving();
    const { asked, read } = answers();
    const opening = sessionOf(page, read);
    await settled();
    asked[0]?.resolve(elsewhere);
    await settled();
    expect([await isHeld(), asked.length, replace.mock.calls.length]).toEqual([true, 1, 1]);
    resumeSession();
    await settled();
    asked[1]?.resolve(page);
    await opening;
  });

  it('waits for the same person to sign in again', async () => {
    const { asked, read } = answers();
    const opening = sessionOf(page, read);
    await settled();
    asked[0]?.resolve(null);
    await settled();
    expect(await isHeld()).toBe(true);
    expect(isExpired()).toBe(true);
    resumeSession();
    await settled();
    asked[1]?.resolve(page);
    await opening;
  });

  it('what was read before a change is read again', async () => {
    const { asked, read } = answers();
    const opening = sessionOf(page, read);
    await settled();
    noteChange();
    asked[0]?.resolve(page);
    await settled();
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(page);
    await opening;
  });

  it('fails when the server cannot be reached, and the page goes on', async () => {
    await expect(sessionOf(page, () => Promise.reject(new Error('unreachable')))).rejects.toThrow('unreachable');
    expect(await isHeld()).toBe(false);
  });
});
