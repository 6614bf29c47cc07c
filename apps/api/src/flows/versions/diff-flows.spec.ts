import type { LayerDefinition } from '@weft/engine';
import { aLayer, SETTINGS } from '@weft/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffFlows, type ComparedFlow } from './diff-flows.js';

function layer(ref: string, fields: Partial<LayerDefinition> = {}): LayerDefinition {
  return aLayer(ref, { args: { template: 'x' }, ...fields });
}

function flow(fields: Partial<ComparedFlow> = {}): ComparedFlow {
  return {
    name: 'flow',
    enabled: true,
    category: '',
    description: '',
    isBlueprint: false,
    restricted: false,
    groupId: null,
    when: null,
    settings: SETTINGS,
    layers: [],
    ...fields,
  };
}

describe('diffFlows', () => {
  it('names what changed, by field, by ref and by place in the args', () => {
    const before = flow({
      layers: [layer('a', { args: { url: 'x', headers: { 'x.y': '1', same: 's' }, list: [1, 2] } })],
    });
    const after = flow({
      name: 'new',
      settings: { ...before.settings, timeoutMs: 5 },
      layers: [layer('a', { args: { url: 'z', headers: { 'x.y': '2', same: 's' }, list: [1, 3] }, timeoutMs: 9 })],
    });
    expect(diffFlows(before, after)).toEqual([
      { path: 'name', before: 'flow', after: 'new' },
      { path: 'settings.timeoutMs', before: null, after: 5 },
      { path: 'layers.a.args.url', before: 'x', after: 'z' },
      { path: 'layers.a.args.headers["x.y"]', before: '1', after: '2' },
      { path: 'layers.a.args.list.1', before: 2, after: 3 },
      { path: 'layers.a.timeoutMs', before: null, after: 9 },
    ]);
  });

  it('shows layers that came and went whole, without what only the store needs', () => {
    const { id: _, index: __, ...shown } = layer('b');
    expect(diffFlows(flow({ layers: [layer('a')] }), flow({ layers: [layer('a', { index: 4 }), layer('b')] }))).toEqual(
      [{ path: 'layers.b', before: null, after: shown }],
    );
    expect(diffFlows(flow({ layers: [layer('b'), layer('a')] }), flow({ layers: [layer('a')] }))).toEqual([
      { path: 'layers.b', before: shown, after: null },
    ]);
  });

  it('follows a layer whose ref was changed, and takes one with the same ref and another id for the same', () => {
    const renamed = diffFlows(
      flow({ layers: [layer('a')] }),
      flow({ layers: [layer('b', { id: 'id-a', name: 'a' })] }),
    );
    expect(renamed).toEqual([{ path: 'layers.b.ref', before: 'a', after: 'b' }]);
    expect(diffFlows(flow({ layers: [layer('a')] }), flow({ layers: [layer('a', { id: 'other' })] }))).toEqual([]);
  });

  it('tells a list of another length and a null from nothing', () => {
    const args = (value: object) => flow({ layers: [layer('a', { args: { value } })] });
    expect(diffFlows(args([1]), args([1, 2]))).toEqual([{ path: 'layers.a.args.value', before: [1], after: [1, 2] }]);
    expect(diffFlows(args({ x: null }), args({}))).toEqual([
      { path: 'layers.a.args.value', before: { x: null }, after: {} },
    ]);
  });

  const refs = ['a', 'b', 'c', 'd', 'e'];
  /** As an answer shows it: JSON has one zero. */
  const shownValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const layers = fc
    .shuffledSubarray(refs)
    .chain((some) => fc.tuple(...some.map((ref) => shownValue.map((value) => layer(ref, { args: { value } })))));

  it('finds nothing between equals, and one change when only the order differs', () => {
    fc.assert(
      fc.property(layers, (some) => {
        const turned = [...some].reverse().map((each, index) => ({ ...each, index }));
        const order = some.length < 2 ? [] : [expect.objectContaining({ path: 'layers' })];
        expect(diffFlows(flow({ layers: some }), flow({ layers: structuredClone(some) }))).toEqual([]);
        expect(diffFlows(flow({ layers: some }), flow({ layers: turned }))).toEqual(order);
      }),
    );
  });

  it('has a change where two flows differ, whose turned-round form is the difference the other way', () => {
    fc.assert(
      fc.property(layers, layers, (one, other) => {
        const there = diffFlows(flow({ layers: one }), flow({ layers: other }));
        const back = diffFlows(flow({ layers: other }), flow({ layers: one }));
        const turned = back.map(({ path, before, after }) => ({ path, before: after, after: before }));
        expect(new Set(there.map((change) => JSON.stringify(change)))).toEqual(
          new Set(turned.map((change) => JSON.stringify(change))),
        );
        expect(there.every(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))).toBe(true);
      }),
    );
  });
});
