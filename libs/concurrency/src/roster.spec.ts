import { expect, it } from 'vitest';
import { Roster } from './roster.js';

it('has those who were added and not removed, in whatever order they leave', () => {
  const roster = new Roster<number>();
  const left = new Set(Array.from({ length: 50 }, (_, n) => n));
  const removals = [...left].map((n) => [n, roster.add(n)] as const);
  for (const [n, remove] of removals.toSorted(([a], [b]) => ((a * 37) % 50) - ((b * 37) % 50))) {
    remove();
    left.delete(n);
    expect(roster.members().sort((a, b) => a - b)).toEqual([...left].sort((a, b) => a - b));
    expect(roster.size).toBe(left.size);
  }
  roster.add(7);
  expect(roster.members()).toEqual([7]);
});

it('gives those of now: who leaves meanwhile does not change the list', () => {
  const roster = new Roster<string>();
  const removals = ['a', 'b', 'c'].map((name) => roster.add(name));
  const members = roster.members();
  for (const remove of removals) remove();
  expect(members).toEqual(['a', 'b', 'c']);
  expect(roster.members()).toEqual([]);
});
