import { describe, expect, it } from 'vitest';
import { playChanges } from './changes.js';
import { journal } from './journal.js';
import { numberEvents, type PlayEvent } from './play-log.js';
import type { LayerResult } from './play.js';

const at = new Date(0);
const EVENTS: readonly PlayEvent[] = [
  { type: 'accepted', taken: 1, at },
  { type: 'state', from: 'NEW', state: 'RUN', at },
  { type: 'start', layer: 1, ref: 'b', name: 'B', at },
  { type: 'error', layer: 1, ref: 'b', message: 'no', retries: 0, at },
  { type: 'claimed', at },
  { type: 'complete', layer: 1, state: 'DONE', at },
  { type: 'complete', layer: 2, state: 'SKIP', at },
  { type: 'state', from: 'RUN', state: 'DONE', at },
  { type: 'end', state: 'DONE', at },
];
const result = (position: number, ref: string): LayerResult => ({
  ...{ position, ref, name: ref, state: 'DONE', startedAt: at, completedAt: at },
  ...{ out: { of: ref }, outBytes: 9, attempts: 1, by: 'w' },
});
const results = [result(0, 'a'), result(1, 'b'), result(2, 'c')];
const play = { _id: 'p', state: 'DONE' as const, log: numberEvents(0, EVENTS), layers: results, completedAt: at };
const shown = ({ changes }: ReturnType<typeof playChanges>) =>
  changes.map(({ frameSeq, ref, state }) => [frameSeq, ref, state]);

describe('the changes in a journal', () => {
  it('are those of states, under the numbers of the frames', () => {
    const told = playChanges(play, 0, Infinity);
    expect(shown(told)).toEqual([
      [0, null, 'NEW'],
      [1, null, 'RUN'],
      [2, 'b', 'RUN'],
      [4, 'b', 'DONE'],
      [5, 'c', 'SKIP'],
      [6, null, 'DONE'],
    ]);
    expect(told).toMatchObject({ to: 9, missing: null });
    expect(told.changes.map(({ oldState }) => oldState)).toEqual([null, 'NEW', null, null, null, 'RUN']);
    const types = journal(play).map((frame) => [frame.seq, frame.type]);
    expect(types).toContainEqual([3, 'layer_error']);
    expect(types).toContainEqual([7, 'play_complete']);
  });

  it('show outputs, large ones as a reference', () => {
    const large = { ...result(1, 'b'), outBytes: 20_000 };
    const { changes } = playChanges({ ...play, layers: [result(0, 'a'), large, result(2, 'c')] }, 5, Infinity);
    expect(changes.slice(0, 2).map((change) => change.out)).toEqual([
      { $ref: '/api/v1/plays/p/layers/b/out', bytes: 20_000 },
      { of: 'c' },
    ]);
  });

  it('go on after an entry, and stop before a result that was not read', () => {
    expect(shown(playChanges(play, 6, Infinity))).toEqual([
      [5, 'c', 'SKIP'],
      [6, null, 'DONE'],
    ]);
    const part = { ...play, layers: [result(1, 'b')], layersFrom: 1 };
    expect(playChanges(part, 2, 2)).toMatchObject({ to: 6, missing: 2, changes: [{ frameSeq: 2 }, { frameSeq: 4 }] });
    expect(playChanges({ ...play, layers: [result(2, 'c')], layersFrom: 2 }, 2, 3)).toMatchObject({
      to: 5,
      missing: 1,
    });
    expect(playChanges(play, 9, Infinity)).toEqual({ changes: [], to: 9, missing: null });
  });

  it('begin with the state that the play was accepted in', () => {
    const [accepted, run] = play.log;
    const log = accepted && run ? [accepted, { ...run, from: 'DEFERRED' as const }] : [];
    expect(shown(playChanges({ ...play, log }, 0, Infinity))[0]).toEqual([0, null, 'DEFERRED']);
    const queued = { ...play, log: log.slice(0, 1), state: 'DEFERRED' as const };
    expect(shown(playChanges(queued, 0, Infinity))).toEqual([[0, null, 'DEFERRED']]);
    expect(shown(playChanges(queued, 1, Infinity))).toEqual([]);
  });

  it('outlive their results, which retention may have taken', () => {
    expect(shown(playChanges({ ...play, layers: [] }, 5, Infinity))).toEqual([
      [4, '', 'DONE'],
      [5, '', 'SKIP'],
      [6, null, 'DONE'],
    ]);
  });
});
