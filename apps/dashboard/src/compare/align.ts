import type { PlayLayer } from '../play/queries';
import { differences } from './differences';

export interface Pair {
  readonly ref: string;
  readonly left: PlayLayer | undefined;
  readonly right: PlayLayer | undefined;
  /** Whether both have the same output. */
  readonly isSame: boolean;
}

/** Layers of the same name beside each other, in the order of the left play; what only the right one has comes last. */
export function alignLayers(a: readonly PlayLayer[], b: readonly PlayLayer[]): Pair[] {
  const refs = [...new Set([...a, ...b].map(({ ref }) => ref))];
  return refs.map((ref) => {
    const left = a.find((layer) => layer.ref === ref);
    const right = b.find((layer) => layer.ref === ref);
    return { ref, left, right, isSame: differences(left?.out, right?.out).length === 0 };
  });
}
