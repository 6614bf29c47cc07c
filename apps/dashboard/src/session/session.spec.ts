import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { resumeSession, sessionIsBack } from './expiry';
import type { Me } from './me';
import { switchCompany } from './session';

afterEach(resumeSession);

it('holds the page, and tells the other tabs, when nobody knows whether the company was switched', async () => {
  const page = { user: { id: 'ann' }, company_id: 'a' } as Me;
  const tab = new BroadcastChannel('weft-session');
  try {
    const heard = once(tab as unknown as EventTarget, 'message') as Promise<[MessageEvent]>;
    // a path has no server here: the request is cut, and so is the question whose session it is
    await expect(switchCompany(page, 'b')).rejects.toMatchObject({ code: 'unreachable' });
    expect((await heard)[0].data).toBe('switched');
    expect(await Promise.race([sessionIsBack(), new Promise((done) => setImmediate(done, 'held'))])).toBe('held');
  } finally {
    tab.close();
  }
});
