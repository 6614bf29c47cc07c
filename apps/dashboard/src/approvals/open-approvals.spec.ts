import { describe, expect, it } from 'vitest';
import { inPlace, keyOf, type OpenApproval } from './open-approvals';

function approval(playId: string, minute: number, until: string | null = null): OpenApproval {
  return { playId, ref: 'ok', since: `2026-01-01T00:0${minute}:00.000Z`, until } as OpenApproval;
}

describe('inPlace', () => {
  it('begins with what ends soonest, then what was asked first', () => {
    const all = [approval('c', 3), approval('b', 2), approval('a', 5, '2026-01-02T00:00:00.000Z')];
    expect(inPlace([], all).map(keyOf)).toEqual(['a ok', 'b ok', 'c ok']);
  });

  it('keeps what is shown where it is, without what was decided, and adds newcomers at the end', () => {
    const all = [approval('d', 9, '2026-01-01T01:00:00.000Z'), approval('c', 3), approval('b', 2)];
    expect(inPlace(['c ok', 'a ok', 'b ok'], all).map(keyOf)).toEqual(['c ok', 'b ok', 'd ok']);
  });

  it('shows one that two pages have once', () => {
    expect(inPlace([], [approval('b', 2), approval('b', 2)])).toHaveLength(1);
  });
});
