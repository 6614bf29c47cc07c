import { applyWrite, endWrite, numberEvents, type LogEntry, type Play, type PlayWrite } from '@weft/engine';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { seenOf, type PlayLook } from './batch-outcomes.js';
import { showsWrite } from './play-update.js';

const AT = new Date(0);
const accepted = aPlay({ serverNow: AT });

type Kind = (play: Play, by: string) => PlayWrite;
const written = (play: Play, more: Partial<PlayWrite>): PlayWrite => ({
  match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'] },
  ...{ unset: [], touch: [], layers: [], log: [] },
  ...more,
  set: { seq: play.seq + (more.log?.length ?? 0), ...more.set },
});

/** All kinds of writes that may meet: with a result, with an event alone, with an answer, without either, the last one. */
const KINDS: readonly Kind[] = [
  (play, owner) =>
    written(play, {
      set: { state: 'RUN', owner },
      log: numberEvents(play.seq, [{ type: 'state', from: play.state, state: 'RUN', at: AT }]),
    }),
  (play, by) =>
    written(play, {
      set: { state: 'RUN', owner: by, cursor: play.cursor + 1 },
      layers: [{ by, out: null } as unknown as PlayWrite['layers'][number]],
      log: numberEvents(play.seq, [{ type: 'claimed', at: AT }]),
    }),
  (play, id) =>
    written(play, {
      log: numberEvents(play.seq, [{ type: 'resumed', layer: 0, at: AT }]),
      inbox: { position: 0, payload: { kind: 'event', id, payload: null, receivedAt: AT.toISOString() } },
    }),
  (play) => written(play, { set: { epoch: play.epoch + 1 }, unset: ['owner'] }),
  (play) => endWrite(play, { code: 'cancelled', message: '' } as never, AT),
];

/** As MongoDB answers the first look: see `LOOK_FIELDS`. */
function lookOf({ _id, epoch, seq, owner, cursor, layers, log }: Play): PlayLook {
  const told = log.at(-1) as LogEntry & { readonly state?: unknown };
  return {
    ...{ _id, epoch, seq, cursor },
    ...(owner !== undefined && { owner }),
    by: layers.at(cursor - 1)?.by,
    lastEntry: { seq: told.seq, type: told.type, at: told.at, state: told.state },
  };
}

/** Every history of this many writes, each by one of two; with every write that was tried on the way, stored or not. */
function* histories(play: Play, tried: readonly PlayWrite[], left: number): Generator<[Play, readonly PlayWrite[]]> {
  yield [play, tried];
  if (left === 0) return;
  for (const kind of KINDS) {
    const [mine, theirs] = [kind(play, 'me'), kind(play, 'they')];
    const after = applyWrite(play, mine, AT);
    if (after) yield* histories(after, [...tried, mine, theirs], left - 1);
  }
}

describe('seenOf', () => {
  it('says in every history what the whole play says, or that it is unclear', () => {
    const seen = new Map<string, number>();
    for (const [play, tried] of histories(accepted, [], 4)) {
      for (const write of tried) {
        const said = seenOf(lookOf(play), write);
        seen.set(said, (seen.get(said) ?? 0) + 1);
        if (said !== 'unclear') expect([said, said === 'stored']).toEqual([said, showsWrite(play, write)]);
      }
    }
    expect([...seen.keys()].sort()).toEqual(['refused', 'stored', 'unclear']);
  });

  it('takes what is not there, or as it was before, for an older state of the database: the write is not stored', () => {
    for (const kind of KINDS) {
      expect(seenOf(null, kind(accepted, 'me'))).toBe('refused');
      const later = applyWrite(accepted, kind(accepted, 'me'), AT);
      if (!later || later.state === 'FAIL') continue;
      for (const next of KINDS) expect(seenOf(lookOf(accepted), next(later, 'me'))).toBe('refused');
    }
  });

  it('tells a play that is as the write was to find it', () => {
    for (const kind of KINDS) expect(seenOf(lookOf(accepted), kind(accepted, 'me'))).toBe('unchanged');
  });
});
