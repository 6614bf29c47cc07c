import { describe, expect, it } from 'vitest';
import type { Layers } from './draft';
import { aDraft } from './draft.fixture';
import { commandsOf } from './layer-commands';

function labels(layers: Layers, at: number): string[] {
  const layer = layers[at] ?? aDraft('none');
  const context = { layers, change: () => undefined, choose: () => undefined, newKey: () => 'new-1' };
  return commandsOf(layer, context).map(([label]) => label);
}

describe('the commands of a layer', () => {
  it('are those that do something where it stands', () => {
    const [a, b, c] = [aDraft('a'), aDraft('b', { stage: 's' }), aDraft('c', { stage: 's' })];
    expect(labels([a], 0)).toEqual(['Duplicate', 'Delete']);
    expect(labels([a, b, c], 0)).toEqual(['Move down', 'Move to the end', 'Duplicate', 'Delete']);
    expect(labels([a, b, c], 1)).toEqual([
      'Move up',
      'Move down',
      'Run at the same time as the layer above',
      'Run alone',
      'Duplicate',
      'Delete',
    ]);
    expect(labels([a, b, c], 2)).toEqual(['Move up', 'Move to the start', 'Run alone', 'Duplicate', 'Delete']);
  });

  it('choose the neighbour of what was deleted', () => {
    const layers = [aDraft('a'), aDraft('b')];
    const done: unknown[] = [];
    const context = {
      layers,
      change: (next: Layers) => done.push(next.map(({ ref }) => ref)),
      choose: (key: string | undefined) => done.push(key),
      newKey: () => 'new-1',
    };
    commandsOf(layers[1] ?? aDraft('none'), context).at(-1)?.[1]();
    expect(done).toEqual([['a'], 'id-a']);
  });
});
