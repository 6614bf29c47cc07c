import { PLAY_STATES, isFinal, type PlayState } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, playIn } from '../model/build.js';
import { mayMove } from '../play-state/transitions.js';
import { applyWrite, type PlayWrite } from '../play-write.js';
import type { Play } from '../play.js';
import { LOG_BOUND, decideCommand, type Command } from './commands.js';

const COMMANDS: Readonly<Record<Command['kind'], Command>> = {
  hold: { kind: 'hold' },
  release: { kind: 'release' },
  cancel: { kind: 'cancel', error: { code: 'cancelled', message: 'Cancelled.', ref: null } },
  resume: { kind: 'resume', position: 0, payload: 'yes' },
};
const kinds = Object.keys(COMMANDS) as Command['kind'][];

/** State × command → state after it, `epoch + 1` and a ring written behind it; null = refused. */
const TABLE: Readonly<Record<PlayState, Readonly<Record<Command['kind'], string | null>>>> = {
  NEW: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'NEW' },
  RUN: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'RUN' },
  WAIT: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'RUN +1 ring' },
  DEFERRED: { hold: 'ON_HOLD', release: null, cancel: 'FAIL +1', resume: 'DEFERRED' },
  ON_HOLD: { hold: null, release: 'RUN +1 ring', cancel: 'FAIL +1', resume: 'ON_HOLD' },
  DONE: { hold: null, release: null, cancel: null, resume: null },
  FAIL: { hold: null, release: null, cancel: null, resume: null },
  SKIP: { hold: null, release: null, cancel: null, resume: null },
  FILTERED: { hold: null, release: null, cancel: null, resume: null },
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
      const play = playIn(state);
      const outcome = after(play, COMMANDS[kind]);
      expect(outcome?.said ?? null).toBe(TABLE[state][kind]);
      if (!outcome) return;
      expect(mayMove(kind, state, outcome.stored.state)).toBe(true);
      expect(outcome.stored.seq).toBeGreaterThan(play.seq);
      expect(outcome.stored.log.at(-1)?.seq).toBe(outcome.stored.seq);
      expect(applyWrite({ ...play, seq: play.seq + 1 }, outcome.write, AT)).toBeNull();
    });
  });

  it('are refused when the journal is as long as it may be', () => {
    const entry = playIn('RUN').log[0] as Play['log'][number];
    const log = Array.from({ length: LOG_BOUND }, () => entry);
    for (const kind of kinds) expect(decideCommand(playIn('RUN', { log }), COMMANDS[kind], AT).kind).toBe('refuse');
  });
});

describe('hold', () => {
  it.each(['NEW', 'RUN', 'WAIT', 'DEFERRED'] as const)('of %s keeps epoch, owner and times', (state) => {
    const play = playIn(state, { owner: state === 'RUN' ? 'w:1' : undefined });
    const { log: _log, ...stored } = after(play, COMMANDS.hold)?.stored ?? playIn('FAIL');
    const { log: _before, ...kept } = play;
    expect(stored).toEqual({ ...kept, state: 'ON_HOLD', held: state, heldAt: AT, seq: 8 });
  });
});

describe('release', () => {
  it.each([
    ['NEW', {}, 'NEW +1 ring'],
    ['RUN', {}, 'RUN +1 ring'],
    ['WAIT', {}, 'WAIT'],
    ['WAIT', { inbox: { '0': 'yes' } }, 'RUN +1 ring'],
    ['WAIT', { inbox: { '1': 'yes' } }, 'WAIT'],
    ['DEFERRED', { dueAt: AT }, 'DEFERRED'],
    ['NEW', { owner: 'w:1' }, 'RUN'],
    ['RUN', { owner: 'w:1' }, 'RUN'],
  ] as const)('of what was %s with %o', (held, change, said) => {
    const outcome = after(playIn('ON_HOLD', { held, ...change }), COMMANDS.release);
    expect(outcome?.said).toBe(said);
    expect(outcome?.stored).not.toHaveProperty('held');
  });

  it('waits for the rest of a second after the hold, unless the owner still works', () => {
    const heldAt = new Date(AT.getTime() - 400);
    expect(decideCommand(playIn('ON_HOLD', { heldAt }), COMMANDS.release, AT)).toEqual({ kind: 'later', waitMs: 600 });
    expect(decideCommand(playIn('ON_HOLD', { heldAt, owner: 'w:1' }), COMMANDS.release, AT).kind).toBe('write');
  });
});

describe('cancel', () => {
  it.each(PLAY_STATES.filter((state) => !isFinal(state)))(
    'of %s frees the key and everything that is of open plays',
    (state) => {
      const stored = after(playIn(state, { owner: 'w:1', strict: true, started: 0 }), COMMANDS.cancel)?.stored;
      for (const field of ['key', 'owner', 'beatAt', 'dueAt', 'held', 'strict', 'started'])
        expect(stored?.[field as keyof Play]).toBeUndefined();
      expect(stored).toMatchObject({ idempotencyKey: 'k', completedAt: AT, error: { code: 'cancelled' } });
    },
  );
});

describe('resume', () => {
  it('keeps an answer that comes early, and for a layer that comes later', () => {
    const resume: Command = { kind: 'resume', position: 3, payload: { yes: true } };
    for (const state of ['NEW', 'RUN', 'WAIT', 'DEFERRED', 'ON_HOLD'] as const)
      expect(after(playIn(state), resume)?.stored).toMatchObject({ state, epoch: 4, inbox: { '3': { yes: true } } });
  });

  it('of a WAIT under hold is kept for its release', () => {
    const stored = after(playIn('ON_HOLD', { held: 'WAIT', dueAt: AT }), COMMANDS.resume)?.stored;
    expect(stored).toMatchObject({ state: 'ON_HOLD', held: 'RUN', epoch: 5 });
    expect(stored).not.toHaveProperty('dueAt');
  });

  it('is refused for a layer that has ended, or has its answer', () => {
    expect(after(playIn('RUN', { cursor: 1 }), COMMANDS.resume)).toBeNull();
    expect(after(playIn('WAIT', { inbox: { '0': null } }), COMMANDS.resume)).toBeNull();
  });
});
