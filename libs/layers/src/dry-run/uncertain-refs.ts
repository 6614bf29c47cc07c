import type { Play } from '@weft/engine';
import type { PreparedLayer, PreparedVersion } from '../call/prepared-version.js';

/**
 * The layers whose results depend on an answer that was missing: they read it, directly or through others, or come after a
 * layer that decides by it whether they run.
 */
export function uncertainRefs(
  { layers }: PreparedVersion,
  missing: readonly string[],
  play: Pick<Play, 'layers'>,
): Set<string> {
  const failed = new Set(play.layers.filter(({ state }) => state === 'FAIL').map(({ ref }) => ref));
  const uncertain = new Set(missing);
  let isAll = false;
  for (const layer of layers) {
    const { ref } = layer.definition;
    const read = [...layer.reads.map((each) => each.ref), ...layer.readsErrors];
    if (isAll || read.some((each) => uncertain.has(each))) uncertain.add(ref);
    if (uncertain.has(ref) && !missing.includes(ref)) isAll ||= steers(layer) || failed.has(ref);
  }
  return uncertain;
}

function steers({ module }: PreparedLayer): boolean {
  return module !== undefined && 'steer' in module && module.steer !== undefined;
}
