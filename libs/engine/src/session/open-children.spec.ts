import { describe, expect, it } from 'vitest';
import { AT, pauseAt, sessionOf, waitAt } from '../model/build.js';
import { nextStep } from './next-step.js';

const CALM = { isProofFresh: true, isStopping: false, at: AT };
const FAR = new Date(AT.getTime() + 60_000);
const mine = { isClaimed: true, mustClaim: false };

describe('a loop whose plays are open', () => {
  const children = { open: 2, wakeAfter: 1, upTo: 1 };
  const wait = { ...pauseAt(0, FAR), kind: 'children' as const, until: null, children };

  it('is waited for, by nobody’s clock', () => {
    const step = nextStep(sessionOf('s', { ...mine, waits: { '0': wait } }), CALM);
    const write = step.kind === 'write' ? step.write : null;
    expect(write?.set).toMatchObject({ state: 'WAIT', waits: { '0': { children } } });
    expect(write?.set).not.toHaveProperty('dueAt');
  });

  it('may start others when it goes on, so its play must be proven to be mine', () => {
    const woken = sessionOf('s', { ...mine, waits: { '0': { ...wait, until: AT } } });
    expect(nextStep(woken, CALM)).toEqual({ kind: 'startLayers', positions: [0] });
    expect(nextStep(woken, { ...CALM, isProofFresh: false })).toEqual({ kind: 'renewLease' });
    // the end of a single play is only read
    const single = sessionOf('s', { ...mine, waits: { '0': waitAt(0, { kind: 'play' }) }, inbox: { '0': {} } });
    expect(nextStep(single, { ...CALM, isProofFresh: false })).toEqual({ kind: 'startLayers', positions: [0] });
  });
});
