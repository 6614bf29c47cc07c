import { describe, expect, it } from 'vitest';
import { AT, pauseAt, resultAt, sessionOf, waitAt } from '../../model/build.js';
import { nextStep } from './next-step.js';
import { onLayerEnded, onLayersStarted } from './session-events.js';

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

  it('has which items it has started stored anew, also while another layer of its stage runs', () => {
    const calls = onLayersStarted(sessionOf('sR', mine), [0, 1], AT);
    const further = { ...wait, children: { ...children, upTo: 3 } };
    const waiting = { ...onLayerEnded(calls, { kind: 'wait', wait: further }), storedWaits: { '0': wait } };
    expect(nextStep(waiting, CALM)).toMatchObject({ write: { set: { waits: { '0': { children: { upTo: 3 } } } } } });
  });

  it('has how many of its plays are open stored anew after it has stored ends, also while another layer of its stage runs', () => {
    const calls = onLayersStarted(sessionOf('sR', mine), [0, 1], AT);
    const stored = { ...wait, children: { open: 10, wakeAfter: 5, upTo: 9 } };
    const fewer = { ...wait, children: { open: 2, wakeAfter: 2, upTo: 9 } };
    const waiting = { ...onLayerEnded(calls, { kind: 'wait', wait: fewer }), storedWaits: { '0': stored } };
    expect(nextStep(waiting, CALM)).toMatchObject({ write: { set: { waits: { '0': { children: fewer.children } } } } });
    expect(nextStep({ ...waiting, storedWaits: { '0': fewer } }, CALM)).toMatchObject({ kind: 'idle' });
  });

  it('is called again every two seconds while another layer of its stage runs, and parked when that one has ended', () => {
    const after = (ms: number) => new Date(AT.getTime() + ms);
    const at = (ms: number) => ({ ...CALM, at: after(ms) });
    const calls = onLayersStarted(sessionOf('sR', mine), [0, 1], AT);
    const waiting = { ...onLayerEnded(calls, { kind: 'wait', wait }), storedWaits: { '0': wait } };
    expect(nextStep(waiting, at(0))).toEqual({ kind: 'idle', until: after(2_000) });
    expect(nextStep(waiting, at(2_000))).toEqual({ kind: 'startLayers', positions: [0] });
    const again = onLayerEnded(onLayersStarted(waiting, [0], after(2_000)), { kind: 'wait', wait });
    expect(nextStep(again, at(2_500))).toEqual({ kind: 'idle', until: after(4_000) });
    const alone = onLayerEnded(again, { kind: 'result', result: resultAt(1) });
    expect(nextStep(alone, at(9_000))).toMatchObject({ kind: 'write', write: { set: { state: 'WAIT' } } });
  });
});
