import { describe, expect, it } from 'vitest';
import { nameOf, withId } from './flow-tool-names.js';
import { fromCursor, toCursor } from './tool-cursor.js';

const id = '00d21p5j96r000pkyh30';
const reserved = new Set(['run_flow']);

describe('the name of a tool that is a flow', () => {
  it.each([
    ['greet', null, 'greet'],
    ['greet', 'grant', 'greet'],
    ['greet', 'greet', `greet_${id}`],
    ['run_flow', null, `run_flow_${id}`],
    ['__proto__', null, `__proto___${id}`],
    [`a_${id}`, null, `a_${id}_${id}`],
    [`_${id}`, null, `_${id}`],
  ])('of %s after %s is %s', (tool, listed, name) => {
    expect(nameOf({ tool, id }, reserved, listed)).toBe(name);
  });

  it('with an id leads to its flow', () => {
    expect(withId(`a_b_${id}`)).toEqual({ tool: 'a_b', id });
    expect([withId('a_b'), withId(`_${id}`), withId(`a_${id.toUpperCase()}`)]).toEqual([null, null, null]);
  });
});

describe('a cursor of tools', () => {
  it('is read as it was written', () => {
    for (const listed of ['a', null]) {
      const place = { tool: 'a', id, listed };
      expect(fromCursor(toCursor(place))).toEqual(place);
    }
  });

  it('is nothing else', () => {
    for (const text of ['', 'x', 5, null, toCursor({ tool: 'a', id: 'b', listed: null }), 'a'.repeat(1_001)]) {
      expect(fromCursor(text)).toBeNull();
    }
  });
});
