import type { FlowLayer } from '../../play/queries';
import type { LayerFigures } from './queries';

export interface LayerShare extends Omit<LayerFigures, 'done' | 'total_ms'> {
  readonly name: string;
  /** An earlier version had it. */
  readonly isGone: boolean;
  readonly ran: number;
  /** Of the time of all layers together, 0 to 1. */
  readonly share: number;
}

const NONE = { done: 0, failed: 0, skipped: 0, p50_ms: null, p95_ms: null, total_ms: 0 };

/** The layers of the flow in their order, then those that it no longer has. Pure. */
export function byLayer(
  layers: readonly Pick<FlowLayer, 'ref' | 'name'>[],
  figures: readonly LayerFigures[],
): readonly LayerShare[] {
  const known = new Map(figures.map((each) => [each.ref, each]));
  const refs = new Set(layers.map(({ ref }) => ref));
  const all = figures.reduce((sum, { total_ms }) => sum + total_ms, 0);
  const gone = figures.filter(({ ref }) => !refs.has(ref)).map(({ ref }) => ({ ref, name: ref }));
  return [...layers, ...gone].map(({ ref, name }) => {
    const { done, total_ms, ...rest } = known.get(ref) ?? { ...NONE, ref };
    const share = all === 0 ? 0 : total_ms / all;
    return { ...rest, name, isGone: !refs.has(ref), ran: done + rest.failed, share };
  });
}
