import { PLAY_STATES, isFinal, type PlayState } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, playIn, resultAt } from '../../model/build.js';
import { mayMove, type Mover } from '../play-state/transitions.js';
import { OPEN_FIELDS, applyWrite, type PlayWrite } from '../play-write.js';
import type { Play } from '../play.js';
import type { LayerWait } from '../layer-outcome.js';
import { LOG_BOUND, LOG_RESERVE } from '../play-log.js';
import { decideCommand, type Command } from './commands.js';

const FULL = LOG_BOUND + LOG_RESERVE;
const COMMANDS: Readonly<Record<Command['kind'], Command>> = {
  hold: { kind: 'hold' },
  release: { kind: 'release' },
  cancel: { kind: 'cancel', error: { code: 'cancelled', message: 'Cancelled.', ref: null } },
  resume: { kind: 'resume', position: 0, payload: 'yes' },
  retryNow: { kind: 'retryNow', position: 2 },
  playsEnded: { kind: 'playsEnded', position: 3 },
};
const kinds = Object.keys(COMMANDS) as Command['kind'][];
const MOVERS: Readonly<Record<Command['kind'], Mover>> = {
  ...{ hold: 'hold', release: 'release', cancel: 'cancel' },
  ...{ resume: 'resume', retryNow: 'resume', playsEnded: 'resume' },
};

const waitAt = (position: number, kind: LayerWait['kind']): LayerWait => ({
  ...{ position, ref: `r${position}`, kind, since: AT, until: null },
  ...(kind === 'event' && { event: { name: 'e', key: null } }),
});
const LATER = new Date(AT.getTime() + 60_000);
const WAITS: Readonly<Record<string, LayerWait>> = {
  '0': waitAt(0, 'event'),
  '2': { ...waitAt(2, 'retry'), until: LATER },
  '3': waitAt(3, 'children'),
};

/** State × command → state after it, followed by `epoch + 1` and a ring; null = refused. */
const TABLE: Readonly<Record<PlayState, Readonly<Record<Command['kind'], string | null>>>> = {
  NEW: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'NEW', retryNow: null, playsEnded: null },
  RUN: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'RUN', retryNow: null, playsEnded: 'RUN' },
  WAIT: {
    hold: 'ON_HOLD',
    release: null,
    cancel: 'FAIL +1',
    resume: 'RUN +1 ring',
    retryNow: 'RUN +1 ring',
    playsEnded: 'RUN +1 ring',
  },
  DEFERRED: {
    hold: 'ON_HOLD',
    release: null,
    cancel: 'FAIL +1',
    resume: 'RUN +1 ring',
    retryNow: 'RUN +1 ring',
    playsEnded: 'RUN +1 ring',
  },
  ON_HOLD: {
    hold: null,
    release: 'RUN +1 ring',
    cancel: 'FAIL +1',
    resume: 'ON_HOLD',
    retryNow: null,
    playsEnded: null,
  },
  DONE: { hold: null, release: null, cancel: null, resume: null, retryNow: null, playsEnded: null },
  FAIL: { hold: null, release: null, cancel: null, resume: null, retryNow: null, playsEnded: null },
  SKIP: { hold: null, release: null, cancel: null, resume: null, retryNow: null, playsEnded: null },
  FILTERED: { hold: null, release: null, cancel: null, resume: null, retryNow: null, playsEnded: null },
};

interface Outcome {
  readonly stored: Play;
  readonly said: string;
  readonly write: PlayWrite;
}

function after(play: Play, command: Command): Outcome | null {
  const decision = decideCommand(play, command, AT);
  if (decision.kind !== 'write') return null;
  const stored = applyWrite(play, decision.write, AT);
  if (!stored) throw new Error('the write does not match the play that was read');
  const said = [stored.state, stored.epoch > play.epoch && '+1', decision.ring && 'ring'].filter(Boolean).join(' ');
  return { stored, said, write: decision.write };
}

describe('commands', () => {
  describe.each(PLAY_STATES)('on a play in %s', (state) => {
    it.each(kinds)('%s', (kind) => {
      const play = playIn(state, state === 'WAIT' || state === 'DEFERRED' || state === 'RUN' ? { waits: WAITS } : {});
      const outcome = after(play, COMMANDS[kind]);
      expect(outcome?.said ?? null).toBe(TABLE[state][kind]);
      if (!outcome) return;
      expect(mayMove(MOVERS[kind], state, outcome.stored.state)).toBe(true);
      expect(outcome.stored.seq).toBeGreaterThan(play.seq);
      expect(outcome.stored.log.at(-1)?.seq).toBe(outcome.stored.seq);
      expect(applyWrite({ ...play, seq: play.seq + 1 }, outcome.write, AT)).toBeNull();
    });
  });

  it.each<readonly [Command['kind'], PlayState]>([
    ['release', 'ON_HOLD'],
    ['cancel', 'WAIT'],
    ['resume', 'WAIT'],
  ])('%s is never refused for the length of the journal: nobody is to be stuck with it', (kind, state) => {
    const play = playIn(state, { seq: FULL, waits: WAITS });
    expect(decideCommand(play, COMMANDS[kind], AT).kind).toBe('write');
  });
});

describe('hold', () => {
  it('is refused when the journal is as long as it may be, two events a layer aside', () => {
    const verdict = (seq: number, cursor = 0) => decideCommand(playIn('WAIT', { seq, cursor }), COMMANDS.hold, AT).kind;
    expect([verdict(FULL - 1), verdict(FULL)]).toEqual(['write', 'refuse']);
    expect([verdict(FULL + 399, 200), verdict(FULL + 400, 200)]).toEqual(['write', 'refuse']);
  });

  it.each(['NEW', 'RUN', 'WAIT', 'DEFERRED'] as const)('of %s keeps epoch, owner and times', (state) => {
    const play = playIn(state, { owner: state === 'RUN' ? 'w:1' : undefined });
    const { log: _log, ...stored } = after(play, COMMANDS.hold)?.stored ?? playIn('FAIL');
    const { log: _before, ...kept } = play;
    expect(stored).toEqual({ ...kept, state: 'ON_HOLD', held: state, heldAt: AT, seq: 8 });
  });
});

describe('release', () => {
  it('of a play that waited for room rings for it without its mark, or leaves it due', () => {
    const held = playIn('ON_HOLD', { held: 'NEW', ready: true });
    const written = (hasRoom: boolean) => {
      const decision = decideCommand(held, COMMANDS.release, AT, hasRoom);
      return decision.kind === 'write' ? applyWrite(held, decision.write, AT) : null;
    };
    expect(written(true)).toMatchObject({ state: 'NEW', epoch: held.epoch + 1 });
    expect(written(true)).not.toHaveProperty('ready');
    expect(written(false)).toMatchObject({ state: 'DEFERRED', ready: true, dueAt: AT });
  });

  it.each([
    ['NEW', {}, 'NEW +1 ring'],
    ['RUN', {}, 'RUN +1 ring'],
    ['WAIT', {}, 'WAIT'],
    ['WAIT', { waits: WAITS, inbox: { '0': 'yes' } }, 'RUN +1 ring'],
    ['WAIT', { waits: WAITS, inbox: { '1': 'yes' } }, 'WAIT'],
    ['DEFERRED', { dueAt: AT }, 'DEFERRED'],
    ['DEFERRED', { dueAt: AT, waits: { '2': waitAt(2, 'delay') }, inbox: { '2': 'yes' } }, 'RUN +1 ring'],
    ['NEW', { owner: 'w:1' }, 'RUN'],
    ['RUN', { owner: 'w:1' }, 'RUN'],
  ] as const)('of what was %s with %o', (held, change, said) => {
    const outcome = after(playIn('ON_HOLD', { held, ...change }), COMMANDS.release);
    expect(outcome?.said).toBe(said);
    expect(outcome?.stored).not.toHaveProperty('held');
  });

  it('waits until whoever may have it unclaimed has stopped, unless the owner still works', () => {
    const heldAt = new Date(AT.getTime() - 400);
    const play = playIn('ON_HOLD', { heldAt });
    const settledAt = new Date(AT.getTime() + 1_700);
    expect(decideCommand(play, COMMANDS.release, AT)).toEqual({ kind: 'later', waitMs: 1_700, at: settledAt });
    expect(decideCommand(play, COMMANDS.release, settledAt).kind).toBe('write');
    const setBack = new Date(AT.getTime() - 3_600_000);
    expect(decideCommand(play, COMMANDS.release, setBack)).toEqual({ kind: 'later', waitMs: 2_100, at: settledAt });
    expect(decideCommand(playIn('ON_HOLD', { heldAt, owner: 'w:1' }), COMMANDS.release, AT).kind).toBe('write');
  });
});

describe('cancel', () => {
  it.each(PLAY_STATES.filter((state) => !isFinal(state)))(
    'of %s removes everything that is of open plays, and keeps the key',
    (state) => {
      const open = {
        strict: true,
        started: 0,
        waits: WAITS,
        waitsFor: ['t'],
        tries: { '0': 1 },
        deadlineAt: AT,
        inbox: { '3': 'early' },
      } as const;
      const stored = after(playIn(state, { owner: 'w:1', queues: ['lane:l'], ...open }), COMMANDS.cancel)?.stored ?? {};
      for (const field of OPEN_FIELDS) expect(stored).not.toHaveProperty(field);
      expect(stored).toMatchObject({ key: 'k', idempotencyKey: 'k', completedAt: AT, error: { code: 'cancelled' } });
    },
  );
});

describe('the end of the plays that a layer waits for', () => {
  const command: Command = { kind: 'playsEnded', position: 3 };

  it('is seen by a worker that has the play when it reads it again, and changes nothing else', () => {
    const play = playIn('RUN', { owner: 'w:1', waits: WAITS });
    const stored = after(play, command)?.stored;
    expect(stored).toMatchObject({ epoch: play.epoch, owner: 'w:1', waits: { ...WAITS, '3': { until: AT } } });
  });

  it('lets a play that is on hold go on when it is released', () => {
    const held = playIn('ON_HOLD', { held: 'WAIT', waits: WAITS, heldAt: new Date(0) });
    const outcome = after(held, command);
    expect(outcome?.stored).toMatchObject({ state: 'ON_HOLD', held: 'RUN', epoch: held.epoch + 1 });
    expect(outcome && after(outcome.stored, { kind: 'release' })?.said).toBe('RUN +1 ring');
  });

  it.each<[string, Play['waits']]>([
    ['was set going before, whatever the clock shows', { '3': { ...waitAt(3, 'children'), until: LATER } }],
    ['pauses before its next attempt', { '3': waitAt(3, 'retry') }],
    ['does not wait', undefined],
  ])('is nothing to a layer that %s', (_what, waits) => {
    expect(after(playIn('WAIT', { waits }), command)).toBeNull();
  });
});

describe('resume', () => {
  it('keeps an answer that comes early, and for a layer that comes later', () => {
    const resume: Command = { kind: 'resume', position: 3, payload: { yes: true } };
    for (const state of ['NEW', 'RUN', 'WAIT', 'DEFERRED', 'ON_HOLD'] as const)
      expect(after(playIn(state), resume)?.stored).toMatchObject({ state, epoch: 4, inbox: { '3': { yes: true } } });
  });

  it('of what is parked under hold is kept for its release', () => {
    for (const held of ['WAIT', 'DEFERRED'] as const) {
      const stored = after(playIn('ON_HOLD', { held, dueAt: AT, waits: WAITS }), COMMANDS.resume)?.stored;
      expect(stored).toMatchObject({ state: 'ON_HOLD', held: 'RUN', epoch: 5, waits: WAITS });
      expect(stored).not.toHaveProperty('dueAt');
    }
  });

  it('ends a wait of any kind but the pause between two attempts, and no wait of another layer', () => {
    const said = (waits: Play['waits']) => after(playIn('DEFERRED', { waits }), COMMANDS.resume)?.said;
    expect(said({ '0': waitAt(0, 'delay') })).toBe('RUN +1 ring');
    expect(said({ '0': waitAt(0, 'approval') })).toBe('RUN +1 ring');
    expect(said({ '0': waitAt(0, 'retry') })).toBe('DEFERRED');
    expect(said({ '1': waitAt(1, 'delay') })).toBe('DEFERRED');
  });

  it('is refused for a layer that has ended, whatever ended before it, or has its answer', () => {
    const layers = [resultAt(2), resultAt(0)];
    expect(after(playIn('RUN', { cursor: 2, layers }), COMMANDS.resume)).toBeNull();
    expect(after(playIn('RUN', { cursor: 1, layers: [resultAt(2)] }), COMMANDS.resume)?.said).toBe('RUN');
    expect(after(playIn('WAIT', { inbox: { '0': null } }), COMMANDS.resume)).toBeNull();
  });

  describe('the end of a pause before the next attempt', () => {
    const command: Command = { kind: 'retryNow', position: 2 };
    const paused = playIn('DEFERRED', { waits: WAITS, dueAt: LATER, inbox: { 0: 'early' } });

    it('is seen by whoever takes the play: the pause ends now, the other waits and answers stay', () => {
      const outcome = after(paused, command);
      expect(outcome?.stored.waits).toEqual({ ...WAITS, '2': { ...WAITS['2'], until: AT } });
      expect(outcome?.stored.inbox).toEqual(paused.inbox);
      expect(outcome?.stored.dueAt).toBeUndefined();
    });

    it('makes the play due where its window has no room, once', () => {
      const decision = decideCommand(paused, command, AT, false);
      if (decision.kind !== 'write') throw new Error(decision.kind);
      expect(decision.ring).toBe(false);
      const stored = applyWrite(paused, decision.write, AT);
      expect(stored).toMatchObject({ state: 'DEFERRED', epoch: paused.epoch, dueAt: AT, seq: paused.seq + 1 });
      if (stored) expect(decideCommand(stored, command, AT, true)).toMatchObject({ kind: 'refuse' });
    });

    it('lets a play that is on hold go on when it is released', () => {
      const held = playIn('ON_HOLD', { held: 'DEFERRED', waits: WAITS, dueAt: LATER, heldAt: new Date(0) });
      const outcome = after(held, command);
      expect(outcome?.stored).toMatchObject({ state: 'ON_HOLD', held: 'RUN', epoch: held.epoch + 1 });
      expect(outcome && after(outcome.stored, { kind: 'release' })?.said).toBe('RUN +1 ring');
    });

    it.each<[string, Play]>([
      ['a layer that waits for something else', playIn('WAIT', { waits: { '2': waitAt(2, 'approval') } })],
      ['a layer that does not wait', playIn('WAIT', { waits: { '0': waitAt(0, 'event') } })],
      ['a layer that waits for plays', playIn('WAIT', { waits: { '2': waitAt(2, 'children') } })],
      ['a pause that is over', playIn('DEFERRED', { waits: { '2': { ...waitAt(2, 'retry'), until: AT } } })],
      ['a short pause, which its worker ends', playIn('RUN', { waits: WAITS })],
      ['a play on hold that a worker had', playIn('ON_HOLD', { held: 'RUN', waits: WAITS })],
    ])('is refused of %s', (_what, play) => {
      expect(decideCommand(play, command, AT)).toMatchObject({ kind: 'refuse' });
    });
  });
});
