import { describe, expect, it } from 'vitest';
import { fromLocalInput, rangeText, toLocalInput } from './local-time';

describe('times of fields', () => {
  it('come back as they were, to the second', () => {
    const iso = '2026-03-29T01:30:07.000Z';
    expect(fromLocalInput(toLocalInput(iso))).toBe(iso);
    expect([toLocalInput(undefined), fromLocalInput('')]).toEqual(['', undefined]);
  });

  it('are named as a range, open at either end', () => {
    const [from, to] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];
    expect(rangeText(from, undefined)).toMatch(/^since /);
    expect(rangeText(undefined, to)).toMatch(/^before /);
    expect(rangeText(from, to)).toContain(' – ');
    expect(rangeText(undefined, undefined)).toBe('');
  });
});
