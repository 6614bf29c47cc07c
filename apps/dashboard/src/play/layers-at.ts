import type { Journal } from './journal';
import type { PlayLayer } from './queries';

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The layers as they were at a frame: what came later is not shown. */
export function layersAt(layers: readonly PlayLayer[], journal: Journal): PlayLayer[] {
  return layers.map((layer): PlayLayer => {
    const track = journal.layers.get(layer.ref);
    const hasEnded = track !== undefined && track.state !== 'RUN' && track.state !== 'NEW';
    return {
      ...layer,
      state: track?.state ?? 'NEW',
      startedAt: isoOf(track?.startMs ?? null),
      completedAt: isoOf(track?.endMs ?? null),
      attempts: track ? track.failures.length + (track.state === 'FAIL' ? 0 : 1) : 0,
      error: hasEnded ? layer.error : null,
      out: hasEnded ? layer.out : null,
      outBytes: hasEnded ? layer.outBytes : 0,
      progress: null,
    };
  });
}
