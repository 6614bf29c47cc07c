import type { PlayFrame } from '@weft/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { journalOf } from './journal';
import { timeScale } from './time-scale';
import { timelineOf } from './timeline-model';

const at = (ms: number): string => new Date(ms).toISOString();
const moved = (seq: number, old_status: string, new_status: string, ms: number): PlayFrame => ({
  seq,
  type: 'play_state_change',
  playId: 'p',
  data: { play_id: 'p', old_status, new_status, timestamp: at(ms) },
});
const started = (seq: number, ref: string, ms: number): PlayFrame => ({
  seq,
  type: 'layer_start',
  playId: 'p',
  data: { layer_id: `p.${ref}`, flowlet_name: ref, ref, timestamp: at(ms) },
});
const failed = (seq: number, ref: string, retry_count: number): PlayFrame => ({
  seq,
  type: 'layer_error',
  playId: 'p',
  data: { layer_id: `p.${ref}`, error_message: 'no', retry_count, ref },
});
const ended = (seq: number, ref: string, status: string, duration_ms: number): PlayFrame => ({
  seq,
  type: 'layer_complete',
  playId: 'p',
  data: { layer_id: `p.${ref}`, status, duration_ms, output: { n: seq }, ref },
});

const FRAMES: readonly PlayFrame[] = [
  moved(1, 'NEW', 'RUN', 1_000),
  started(2, 'a', 1_000),
  failed(3, 'a', 0),
  moved(4, 'RUN', 'DEFERRED', 1_100),
  moved(5, 'DEFERRED', 'RUN', 61_100),
  ended(6, 'a', 'DONE', 60_200),
  started(7, 'b', 61_200),
];

describe('journalOf', () => {
  it('tells the play as it was after any frame', () => {
    expect(journalOf(FRAMES, 4)).toMatchObject({ state: 'DEFERRED', rests: [{ fromMs: 1_100, toMs: null }] });
    expect(journalOf(FRAMES, 4).layers.get('a')).toMatchObject({ state: 'RUN', failures: ['no'], endMs: null });
    const whole = journalOf(FRAMES);
    expect(whole.state).toBe('RUN');
    expect(whole.layers.get('a')).toMatchObject({ state: 'DONE', endMs: 61_200, output: { n: 6 } });
    expect(whole.layers.get('b')).toMatchObject({ state: 'RUN', startMs: 61_200 });
  });
});

describe('timelineOf', () => {
  it('shows attempts as segments with the pause between them, and folds the pause', () => {
    const { bars, folds } = timelineOf(journalOf(FRAMES), 61_400);
    expect(bars.get('a')?.segments.map(({ isRest }) => isRest)).toEqual([false, true, false]);
    expect(folds).toHaveLength(1);
    expect(folds[0]?.width).toBe(5);
    const b = bars.get('b')?.segments[0];
    expect(b?.width).toBeGreaterThan(30);
    expect((b?.at ?? 0) + (b?.width ?? 0)).toBeCloseTo(100);
  });

  it('is empty for a play that has not started', () => {
    expect(timelineOf(journalOf([]), 5)).toEqual({ bars: new Map(), folds: [], span: null });
  });
});

describe('timeScale', () => {
  it('gives the folds all of the width when nothing ran for a millisecond', () => {
    const { folds, place } = timeScale({ fromMs: 0, toMs: 90_000 }, [{ fromMs: 0, toMs: 0 }]);
    expect(folds).toEqual([{ fromMs: 0, toMs: 90_000, at: 0, width: 100 }]);
    expect([place(0), place(45_000), place(90_000)]).toEqual([0, 50, 100]);
  });

  it('places later times never before earlier ones, within the width', () => {
    const times = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(times, times, (edges, asked) => {
        const sorted = edges.toSorted((a, b) => a - b);
        const active = sorted.flatMap((fromMs, i) => (i % 2 === 0 ? [{ fromMs, toMs: sorted[i + 1] ?? fromMs }] : []));
        const scale = timeScale({ fromMs: 0, toMs: 1_000_000 }, active);
        const places = asked.toSorted((a, b) => a - b).map(scale.place);
        for (const [i, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual((places[i - 1] ?? 0) - 1e-9);
          expect(place).toBeLessThanOrEqual(100);
        }
        expect(scale.place(1_000_000)).toBeCloseTo(100);
      }),
    );
  });
});
