import { describe, expect, it } from 'vitest';
import { AT, pauseAt, playIn, resultAt, sessionOf } from '../../model/build.js';
import { nextStep } from './next-step.js';
import { onLayerEnded, onLayersStarted, onWriteRefused } from './session-events.js';
import { layersWaitingForPlays } from './write-fields.js';

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
    const only = { open: 1, wakeAfter: 1, playId: 'child' };
    const single = sessionOf('s', { ...mine, waits: { '0': { ...wait, until: AT, children: only } } });
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

  it('goes on when it was set going, whatever the clock of its worker shows', () => {
    const woken = sessionOf('s', { ...mine, waits: { '0': { ...wait, until: FAR } } });
    expect(nextStep(woken, CALM)).toEqual({ kind: 'startLayers', positions: [0] });
  });

  it('goes on beside another layer of its stage when it was set going meanwhile, and is parked when that one has ended', () => {
    const calls = onLayersStarted(sessionOf('sR', mine), [0, 1], AT);
    const waiting = { ...onLayerEnded(calls, { kind: 'wait', wait }), storedWaits: { '0': wait } };
    expect(nextStep(waiting, CALM)).toEqual({ kind: 'idle', until: null });
    const fresh = playIn('RUN', { owner: waiting.ownerId, seq: 8, waits: { '0': { ...wait, until: AT } } });
    const woken = onWriteRefused(waiting, 'renew', fresh);
    expect(nextStep(woken, CALM)).toEqual({ kind: 'startLayers', positions: [0] });
    const again = onLayerEnded(onLayersStarted(woken, [0], AT), { kind: 'wait', wait });
    const alone = nextStep(onLayerEnded(again, { kind: 'result', result: resultAt(1) }), CALM);
    expect(alone).toMatchObject({ kind: 'write', write: { set: { state: 'WAIT', waits: { '0': { until: null } } } } });
  });

  it('is looked at after each write that leaves it waiting', () => {
    const looked = (change: Parameters<typeof sessionOf>[1]) => {
      const step = nextStep(sessionOf('s', { ...mine, ...change }), CALM);
      return step.kind === 'write' && layersWaitingForPlays(step);
    };
    expect(looked({ waits: { '0': wait } })).toEqual([0]);
    // as after a hold
    expect(looked({ waits: { '0': wait }, storedWaits: { '0': wait } })).toEqual([0]);
    expect(looked({ waits: { '0': pauseAt(0, FAR) } })).toEqual([]);
  });
});
