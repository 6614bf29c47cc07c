import type { DraftLayer, Layers } from './draft';
import type { Command } from './menu-button';
import { alone, joined, movedBy, movedTo, withCopy } from './order';

interface Context {
  readonly layers: Layers;
  readonly change: (layers: Layers) => void;
  readonly choose: (key: string | undefined) => void;
  readonly newKey: () => string;
}

/** What can be done with a layer as a whole, where it stands now. */
export function commandsOf(layer: DraftLayer, { layers, change, choose, newKey }: Context): readonly Command[] {
  const { key, stage } = layer;
  const position = layers.indexOf(layer);
  const [above, below] = [layers[position - 1], layers[position + 1]];
  const isShared = stage !== null && (above?.stage === stage || below?.stage === stage);
  const commands: Command[] = [];
  if (above) commands.push(['Move up', () => change(movedBy(layers, key, -1))]);
  if (below) commands.push(['Move down', () => change(movedBy(layers, key, 1))]);
  if (position > 1) commands.push(['Move to the start', () => change(movedTo(layers, key, 0))]);
  if (below && position < layers.length - 2) {
    commands.push(['Move to the end', () => change(movedTo(layers, key, layers.length - 1))]);
  }
  if (above && (stage === null || above.stage !== stage)) {
    commands.push(['Run at the same time as the layer above', () => change(joined(layers, key))]);
  }
  if (isShared) commands.push(['Run alone', () => change(alone(layers, key))]);
  commands.push([
    'Duplicate',
    () => {
      const copy = newKey();
      change(withCopy(layers, key, copy));
      choose(copy);
    },
  ]);
  commands.push([
    'Delete',
    () => {
      change(layers.filter((each) => each !== layer));
      choose((below ?? above)?.key);
    },
  ]);
  return commands;
}
