import { describe, expect, it } from 'vitest';
import { ageText, figuresOf, type Overview } from './figures';

function overview(fields: Partial<Overview>): Overview {
  const series = Array.from({ length: 5 }, (_, i) => {
    return { at: new Date(i * 60_000).toISOString(), started: 60, done: 54, failed: 6, cancelled: 0 };
  });
  return { series, success_rate: 0.9, p50_ms: 120, p95_ms: 3_400, running: 3, backlog: 0, oldest_ms: null, ...fields };
}

const figure = (name: string, fields: Partial<Overview>) =>
  figuresOf(overview(fields)).find((each) => each.name === name);

describe('figuresOf', () => {
  it('tells when a backlog will be gone, from what ended lately', () => {
    expect(figure('Backlog', { backlog: 60, oldest_ms: 4_000 })).toMatchObject({
      value: '60',
      note: 'oldest 4.0 s, gone in 1 m 00 s',
      isBad: false,
    });
    const still = overview({}).series.map((each) => ({ ...each, done: 0, failed: 0 }));
    expect(figure('Backlog', { backlog: 60, oldest_ms: 4_000, series: still })).toMatchObject({ isBad: true });
  });

  it('says where there is no figure, and nothing while it is read', () => {
    expect(figure('Backlog', { backlog: null })).toMatchObject({ value: '–', note: 'the queue does not answer' });
    expect(figure('Median', { p50_ms: null })?.value).toBe('–');
    expect(figuresOf(undefined).every(({ value }) => value === null)).toBe(true);
  });
});

describe('ageText', () => {
  it('says how old figures are, where something waits or runs and nothing has moved for long', () => {
    const aged = (ageMs: number, fields: Partial<Overview>) => ageText(overview(fields), 1_000, 1_000 + ageMs);
    expect(aged(90_000, { running: 0, backlog: 3 })).toContain('1 m 30 s old');
    expect(aged(90_000, { running: 2, backlog: null })).toContain('1 m 30 s old');
    expect(aged(15_000, { running: 0, backlog: 3 })).toBeNull();
    expect(aged(90_000, { running: 0, backlog: 0 })).toBeNull();
  });
});
