/**
 * Test only. Engines with one rule of the protocol taken out, each with the small scenario in which that shows: a world
 * that finds nothing wrong with them would prove nothing about the real one.
 */
import type { Session } from '../src/session/session.js';
import { broken, one, rewrite, type BrokenRule } from './broken-rule.js';
import { ENGINE, type Engine } from './engine-under-test.js';

/** Where a rule is about the start of a call: what is asked when its request is written would hide that it is gone. */
const SENT_UNPROVEN = { provesWhenSent: false };

const lastingClaim = (session: Session): Session => ({ ...session, mustClaim: false });

export const BROKEN_RULES: readonly BrokenRule[] = [
  broken(
    'writes compare the epoch alone, not seq',
    {
      applyWrite: (play, write, now) =>
        ENGINE.applyWrite(play, { ...write, match: { ...write.match, seq: play.seq } }, now),
    },
    one('epe', { hold: 1, release: 1 }),
  ),
  broken(
    'a write is accepted in whatever state the play is, at whatever seq',
    {
      applyWrite: (play, write, now) =>
        ENGINE.applyWrite(play, { ...write, match: { ...write.match, seq: play.seq, states: [play.state] } }, now),
    },
    one('e', { hold: 1 }),
  ),
  broken(
    'hold raises the epoch and removes the owner',
    {
      decideCommand: (play, command, at, hasRoom) => {
        const decision = ENGINE.decideCommand(play, command, at, hasRoom);
        if (decision.kind !== 'write' || command.kind !== 'hold') return decision;
        const { write } = decision;
        return { ...decision, write: { ...write, set: { ...write.set, epoch: play.epoch + 1 }, unset: ['owner'] } };
      },
    },
    one('epe', { hold: 1, release: 1 }),
  ),
  broken(
    'release does not wait',
    {
      decideCommand: (play, command, at, hasRoom) => {
        const later = command.kind === 'release' ? new Date(at.getTime() + ENGINE.times.settleMs) : at;
        return ENGINE.decideCommand(play, command, later, hasRoom);
      },
    },
    one('ee', { hold: 1, release: 1 }),
  ),
  broken(
    'a play that was handed out before runs unclaimed',
    {
      startSession: (play, handOut, plan) => {
        const taken = ENGINE.startSession(play, handOut, plan);
        return 'drop' in taken ? taken : { ...taken, mustClaim: false };
      },
    },
    { plays: [{ layers: 'e', poison: true }], workers: 1, slots: 1, reconcilers: 1, budget: {} },
  ),
  broken(
    'effects start on a proof of whatever age',
    {
      ...SENT_UNPROVEN,
      startSession: (play, handOut, plan) => ENGINE.startSession(play, { ...handOut, isProofFresh: true }, plan),
      nextStep: (session, facts) => ENGINE.nextStep(session, { ...facts, isProofFresh: true }),
    },
    one('ee', { freeze: 1 }),
  ),
  broken('a request is written to its connection on a proof of whatever age', SENT_UNPROVEN, one('ee', { freeze: 1 })),
  broken(
    'a refused write means that the play is lost',
    { onWriteRefused: (session) => ({ ...session, endReason: 'fenced' }) },
    one('ep', { hold: 1, release: 1 }),
  ),
  broken(
    'a refused claim is followed by an unclaimed run',
    {
      ...SENT_UNPROVEN,
      onWriteRefused: (session, purpose, fresh) => lastingClaim(ENGINE.onWriteRefused(session, purpose, fresh)),
      nextStep: (session, facts) =>
        ENGINE.nextStep(session, { ...facts, isProofFresh: session.isClaimed ? facts.isProofFresh : true }),
    },
    one('we', { resume: 1, freeze: 1, lostLock: 1 }),
  ),
  broken('nothing is written beside a long call', { decideLazyClaim: () => null }, one('e', { wipe: 1 })),
  broken(
    'nothing is written beside a long pure call, although an effect is not stored',
    {
      decideLazyClaim: (session, at) => {
        const running = session.plan[session.runningCalls[0]?.position ?? 0];
        return running?.kind === 'effect' ? ENGINE.decideLazyClaim(session, at) : null;
      },
    },
    one('ep', { wipe: 1 }),
  ),
  broken(
    'a raise does not renew heartbeatAt',
    { reissueWrite: (play) => ({ ...ENGINE.reissueWrite(play), touch: [], unset: ['heartbeatAt'] }) },
    one('e', { wipe: 1, ringLost: 1 }),
  ),
  broken(
    'a raise counts as a crash',
    {
      reissueWrite: (play) => {
        const write = ENGINE.reissueWrite(play);
        return { ...write, set: { ...write.set, crashes: play.crashes + 1 } };
      },
    },
    one('e', { ringLost: 3, crash: 2 }),
  ),
  broken('the reconciler looks once', { times: { ...ENGINE.times, gapMs: 0 } }, one('e', { wipe: 1 })),
  broken(
    'the reconciler looks once at a play whose company got another label of workers',
    { times: { ...ENGINE.times, gapMs: 0 } },
    one('e', { relabel: 1 }),
  ),
  broken(
    'a worker calls unclaimed for a company that has workers with another label by now',
    { startSession: (play, handOut, plan) => ENGINE.startSession(play, { ...handOut, isOfOthers: false }, plan) },
    { plays: [{ layers: 'e' }, { layers: 'e' }], workers: 1, slots: 1, reconcilers: 1, budget: { relabel: 1 } },
  ),
  broken(
    'a reap does not repeat the lease that it read',
    {
      reapWrite: (play, at) => {
        const write = ENGINE.reapWrite(play, at);
        const { heartbeatAt: _read, ...match } = write.match;
        return { ...write, match };
      },
    },
    one('eee', { cut: 2 }, { workers: 1, reconcilers: 1 }),
  ),
  broken(
    'rings have no deadline',
    { times: { ...ENGINE.times, ringByMs: Infinity } },
    one('e', { wipe: 2 }, { workers: 1 }),
  ),
  broken(
    'an answer that came before the WAIT was stored is overlooked',
    {
      onWriteRefused: (session, purpose, fresh) => ({
        ...ENGINE.onWriteRefused(session, purpose, fresh),
        inbox: session.inbox,
      }),
    },
    one('w', { resume: 1 }),
  ),
  broken(
    'the start of an onInterrupted: fail layer is not recorded',
    {
      nextStep: (session, facts) => {
        const plan = session.plan.map((layer) => ({ ...layer, once: false }));
        const step = ENGINE.nextStep({ ...session, plan }, facts);
        return step;
      },
    },
    one('o', { crash: 1 }),
  ),
  broken(
    'stopping under hold forgets a start that another owner recorded',
    {
      nextStep: (session, facts) => {
        const step = ENGINE.nextStep(session, facts);
        if (step.kind !== 'write' || step.purpose !== 'held') return step;
        return { kind: 'write', ...rewrite(step, { unset: [...step.write.unset, 'started'] }) };
      },
    },
    one('o', { crash: 1, hold: 1, release: 1 }),
  ),
  broken(
    'FAIL frees the idempotency key',
    {
      decideCommand: (play, command, at, hasRoom) => {
        const decision = ENGINE.decideCommand(play, command, at, hasRoom);
        if (decision.kind !== 'write') return decision;
        return { ...decision, write: { ...decision.write, unset: [...decision.write.unset, 'key'] } };
      },
    },
    one(
      'e',
      { cancel: 1 },
      {
        plays: [
          { layers: 'e', key: 'k' },
          { layers: 'e', key: 'k' },
        ],
      },
    ),
  ),
  broken(
    'a pending effect is not stored before the next one starts',
    {
      nextStep: (session, facts) => {
        const step = ENGINE.nextStep(session, facts);
        if (step.kind !== 'write' || step.purpose !== 'boundary') return step;
        return { kind: 'startLayers', positions: [session.cursor + session.unstoredResults.length] };
      },
    },
    one('ee', { hold: 1, release: 1, stop: 1, crash: 1 }),
  ),
  broken(
    'a call is made again before the failed one is on record',
    {
      nextStep: (session, facts) => ENGINE.nextStep({ ...session, failedCalls: [], storedWaits: session.waits }, facts),
    },
    one('r', { layerFails: 1 }),
  ),
  broken(
    'a call is made again at once',
    { nextStep: (session, facts) => ENGINE.nextStep(session, { ...facts, at: new Date(facts.at.getTime() + 60_000) }) },
    one('r', { layerFails: 1 }),
  ),
  broken(
    'the second call of an onInterrupted: fail layer is made on the record of the first',
    {
      onWriteStored: (session, done) => {
        const { startedStage, hasStartedStage } = session;
        const after = ENGINE.onWriteStored(session, done);
        return done.failedCallCount > 0 ? { ...after, startedStage, hasStartedStage } : after;
      },
    },
    one('q', { layerFails: 1, crash: 1 }),
  ),
  broken(
    'the end of one layer ends its stage',
    { onLayerEnded: (session, outcome) => ({ ...ENGINE.onLayerEnded(session, outcome), runningCalls: [] }) },
    one('eE', {}),
  ),
  broken(
    'layers begin before the stage before theirs has ended',
    {
      startSession: (play, handOut, plan) =>
        ENGINE.startSession(
          play,
          handOut,
          plan.map((layer) => ({ ...layer, stage: 0 })),
        ),
    },
    one('ep', {}),
  ),
  broken(
    'what a layer waits for is forgotten when the play is taken again',
    {
      startSession: (play, handOut, plan) => ENGINE.startSession(play && { ...play, waits: undefined }, handOut, plan),
    },
    one('t', {}),
  ),
  broken(
    'what a layer waits for is stored only when its stage has ended',
    {
      nextStep: (session, facts) =>
        ENGINE.nextStep(session.runningCalls.length > 0 ? { ...session, storedWaits: session.waits } : session, facts),
    },
    one('wE', {}),
  ),
  broken(
    'failed calls are forgotten when the play is taken again',
    {
      startSession: (play, handOut, plan) => ENGINE.startSession(play && { ...play, tries: undefined }, handOut, plan),
    },
    one('l', { layerFails: 2 }),
  ),
  broken(
    'what a branch ruled out is forgotten when the play is taken again',
    {
      startSession: (play, handOut, plan) =>
        changed(ENGINE.startSession(play, handOut, plan), { skippedPositions: [] }),
    },
    one('bee', { crash: 1 }),
  ),
  broken(
    'what a filter ruled out is forgotten when the play is taken again',
    {
      startSession: (play, handOut, plan) => {
        const layers = play?.layers.map(({ filtersRest: _gone, ...result }) => result);
        return ENGINE.startSession(play && { ...play, layers: layers ?? [] }, handOut, plan);
      },
    },
    one('fEe', { crash: 1 }),
  ),
  broken(
    'a condition is not asked',
    {
      nextStep: (session, facts) =>
        ENGINE.nextStep({ ...session, conditionsMet: session.plan.map((_, i) => i) }, facts),
    },
    one('n', {}),
  ),
];

function changed(
  taken: ReturnType<Engine['startSession']>,
  change: Partial<Session>,
): ReturnType<Engine['startSession']> {
  return 'drop' in taken ? taken : { ...taken, ...change };
}
