import { expect, it } from 'vitest';
import { marksOf, pictureOf, subFlowOf, type DrawnLayer } from './picture-model';

const layer = (ref: string, fields: Partial<DrawnLayer> = {}): DrawnLayer => ({
  ...{ ref, name: ref, appId: 'transform', args: {}, stage: null, when: null, forEach: null, ...fields },
});
const branch = (ref: string, cases: readonly (readonly string[])[], rest: readonly string[] = []) =>
  layer(ref, {
    appId: 'branch',
    args: { cases: cases.map((refs) => ({ when: '{{ $prev.args.a }}', refs })), else: rest },
  });

it('draws an arc from a branch to each stage of a case, short ones below long ones', () => {
  const { arcs, lanes, cases } = pictureOf([
    branch('kind', [['letter', 'gift'], ['parcel']], ['call']),
    layer('letter', { stage: 's' }),
    layer('gift', { stage: 's' }),
    layer('parcel'),
    layer('call'),
  ]);
  expect(arcs.map(({ name, from, to, lane }) => [name, from, to, lane])).toEqual([
    ['case 1', 0, 1, 0],
    ['case 2', 0, 2, 1],
    ['else', 0, 3, 2],
  ]);
  expect(lanes).toBe(3);
  expect(cases.get('gift')).toEqual(['kind: case 1']);
});

it('lets arcs that do not meet share a lane', () => {
  const { arcs } = pictureOf([branch('a', [['b']]), layer('b'), branch('c', [['d']]), layer('d')]);
  expect(arcs.map(({ lane }) => lane)).toEqual([0, 0]);
});

it('draws what it can of a branch that is not complete', () => {
  const odd = layer('odd', {
    appId: 'branch',
    args: { cases: [null, { refs: 'x' }, { refs: ['gone', 1] }], else: {} },
  });
  expect(pictureOf([odd, layer('b')]).arcs).toEqual([]);
});

it('says in words how a layer runs', () => {
  const forEach = { in: '{{ .a }}', concurrency: 1 };
  const marks = marksOf(layer('a', { when: '{{ .b }}', forEach, onError: 'continue' }), ['kind: else']);
  expect(marks).toEqual(['kind: else', 'only if', 'for each item', 'may fail']);
  expect(marksOf(layer('a', { args: { paginate: {} } }), [])).toEqual(['page by page']);
});

it('knows the flow that a layer runs, unless an expression names it', () => {
  const running = (flowId: string) => subFlowOf(layer('a', { appId: 'run-flow', args: { flowId } }));
  expect([running('f1'), running('{{ $blueprint.billing }}')]).toEqual(['f1', null]);
});
