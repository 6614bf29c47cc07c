import type { FlowLayer } from './queries';

export type LoopKind = 'item' | 'page' | 'round';

/** What the layer is called for, again and again; null: it is one call. */
export function loopKindOf({ forEach, repeat, args }: Pick<FlowLayer, 'forEach' | 'repeat' | 'args'>): LoopKind | null {
  if (forEach != null) return 'item';
  if (repeat != null) return 'round';
  return args.paginate == null ? null : 'page';
}
