import { describe, expect, it } from 'vitest';
import { touchedLayer, type OutputRead } from './touched-layer.js';

type Change = Parameters<typeof touchedLayer>[0]['changes'][number];
const change = (place: Change['place'], path: string, what: Change['what'], breaks = true): Change => ({
  place,
  path,
  what,
  breaks,
});

/** Whether the change breaks a layer with this input, of which this is read. */
function breaks(one: Change, input: unknown = {}, reads: readonly OutputRead[] = []): boolean {
  return touchedLayer({ operation: 'a', result: 'breaking', changes: [one] }, input, reads).result === 'breaking';
}
const read = (steps: (string | number)[], throughLists = false): OutputRead[] => [{ steps, throughLists }];

describe('a field of the output that is gone', () => {
  const gone = change('out', 'body.items.*.name', 'removed');

  it('breaks a flow that reads it, something in it, or what it is in', () => {
    expect(breaks(gone, {}, read(['body', 'items', 0, 'name']))).toBe(true);
    expect(breaks(gone, {}, read(['body', 'items', 0, 'name', 'first']))).toBe(true);
    expect(breaks(gone, {}, read(['body']))).toBe(true);
    expect(breaks(gone, {}, read([]))).toBe(true);
    expect(breaks(gone, {}, read(['body', 'items', 'name'], true))).toBe(true);
  });

  it('breaks no other flow', () => {
    expect(breaks(gone, {}, [])).toBe(false);
    expect(breaks(gone, {}, read(['body', 'items', 0, 'id']))).toBe(false);
    expect(breaks(gone, {}, read(['body', 'items', 'id'], true))).toBe(false);
    expect(breaks(gone, {}, read(['statusCode']))).toBe(false);
  });

  it('breaks every flow where its path is cut', () => {
    expect(breaks(change('out', 'body.xxx…', 'removed'), {}, read(['statusCode']))).toBe(true);
  });

  it('may have a dot in its name', () => {
    expect(breaks(change('out', 'body.a.b', 'removed'), {}, read(['body', 'a.b']))).toBe(true);
  });
});

describe('a change of the args', () => {
  it('of a field breaks the layers that give it, also by an expression', () => {
    const narrower = change('args', 'body.lines.*.count', 'type');
    expect(breaks(narrower, { body: { lines: [{ count: 1 }] } })).toBe(true);
    expect(breaks(narrower, { body: { lines: '{{ $args.lines }}' } })).toBe(true);
    expect(breaks(narrower, '{{ $args }}')).toBe(true);
    expect(breaks(narrower, { body: { lines: [{ id: 1 }] } })).toBe(false);
    expect(breaks(narrower, { body: { lines: [] } })).toBe(false);
    expect(breaks(narrower, { query: { count: 1 } })).toBe(false);
    expect(breaks(change('args', 'query.a.b', 'type'), { query: { 'a.b': 1 } })).toBe(true);
  });

  it('that asks for a field breaks those that give what it is in', () => {
    expect(breaks(change('args', 'body', 'required'), {})).toBe(true);
    expect(breaks(change('args', 'body.name', 'required'), { body: {} })).toBe(true);
    expect(breaks(change('args', 'body.name', 'required'), {})).toBe(false);
  });

  it('of how it is sent breaks all', () => {
    expect(breaks(change('plan', 'servers', 'values'))).toBe(true);
    expect(breaks(change('out', 'body', 'unknown'))).toBe(true);
  });

  it('that breaks nothing stays harmless', () => {
    expect(breaks(change('args', 'body', 'type', false), { body: 1 })).toBe(false);
  });
});

it('shows what breaks the layer first, and nothing of an operation that is gone', () => {
  const harmless = change('args', 'query.a', 'added', false);
  const changes = [harmless, change('plan', 'servers', 'values')];
  const touched = touchedLayer({ operation: 'a', result: 'breaking', changes }, undefined, []);
  expect(touched.changes.map(({ path }) => path)).toEqual(['servers', 'query.a']);
  expect(touchedLayer({ operation: 'a', result: 'removed', changes }, undefined, [])).toEqual({
    result: 'removed',
    changes: [],
  });
});
