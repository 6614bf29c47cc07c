import type { FlowLayer } from './queries';

export type LoopKind = 'item' | 'page' | 'round' | 'step';

/** What the layer is called for, again and again; null: it is one call. */
export function loopKindOf({
  appId,
  forEach,
  repeat,
  args,
}: Pick<FlowLayer, 'appId' | 'forEach' | 'repeat' | 'args'>): LoopKind | null {
  if (appId === 'agent') return 'step';
  if (forEach != null) return 'item';
  if (repeat != null) return 'round';
  return args.paginate == null ? null : 'page';
}
