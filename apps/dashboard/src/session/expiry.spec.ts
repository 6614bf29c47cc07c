import { afterEach, describe, expect, it } from 'vitest';
import { coverPage, holdRequests, isExpired, resumeSession, sessionIsBack, signInAgain } from './expiry';

/** Whether a request is sent now. */
async function isSent(): Promise<boolean> {
  return Promise.race([sessionIsBack().then(() => true), new Promise<false>((done) => setImmediate(done, false))]);
}

describe('requests of a page', () => {
  afterEach(resumeSession);

  it('are sent while the session is the one of the page', async () => {
    expect(await isSent()).toBe(true);
  });

  it.each([
    ['the session has ended', () => void signInAgain()],
    ['another tab has changed the session', holdRequests],
    ['the session is of another company', () => coverPage(null)],
  ])('wait while %s, and are sent afterwards', async (_, halt) => {
    halt();
    expect(await isSent()).toBe(false);
    resumeSession();
    expect(await isSent()).toBe(true);
  });

  it('do not uncover a page of another company, whatever they are answered', () => {
    coverPage(null);
    void signInAgain();
    holdRequests();
    expect(isExpired()).toBe(false);
  });
});
