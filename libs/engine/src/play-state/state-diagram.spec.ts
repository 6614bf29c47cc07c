import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FIRST_STATES, PLAY_MOVES } from './transitions.js';

const page = readFileSync(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8');
const diagrams = [...page.matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, text = '']) => text).join('');
const ACTIVE = /^ *state active \{\n([^}]*)\}/m.exec(diagrams)?.[1]?.trim().split(/\s+/) ?? [];
const ARROWS = [...diagrams.matchAll(/^ *(\S+) --> (\w+)(?:: (.+))?$/gm)];

const expand = (name: string): string[] => (name === 'active' ? ACTIVE : [name]);

/** Every move that the diagrams show, as `mover: from → to`. */
function drawnMoves(): string[] {
  return ARROWS.filter(([, from]) => from !== '[*]').flatMap(([, from = '', to = '', movers = '']) =>
    movers
      .split(', ')
      .flatMap((mover) => expand(from).flatMap((one) => expand(to).map((other) => `${mover}: ${one} → ${other}`))),
  );
}

it('the diagrams in ARCHITECTURE.md show every move of a play and no other', () => {
  const moves = Object.entries(PLAY_MOVES).flatMap(([mover, table]) =>
    Object.entries(table).flatMap(([from, targets]) => targets.map((to) => `${mover}: ${from} → ${to}`)),
  );
  expect(drawnMoves().toSorted()).toEqual(moves.toSorted());
});

it('the diagrams in ARCHITECTURE.md show the states that a play may begin in', () => {
  const first = ARROWS.filter(([, from]) => from === '[*]').map(([, , to]) => to);
  expect(first.toSorted()).toEqual([...FIRST_STATES].toSorted());
});
