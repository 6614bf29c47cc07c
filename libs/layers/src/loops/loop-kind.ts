import type { LayerDefinition } from '@weft/engine';
import { pagingOf } from '../layer-module.js';
import { moduleOf } from '../registry.js';
import type { ItemNoun } from './item-attempts.js';

/** What a layer is called for, again and again; null: it is one call. */
export function loopKindOf({ appId, args, forEach, repeat }: LayerDefinition): ItemNoun | null {
  if (forEach) return 'item';
  if (repeat) return 'round';
  const module = moduleOf(appId);
  if (module?.effect === 'steps') return 'step';
  const paging = module && pagingOf(module);
  return paging && (args[paging.option] ?? null) !== null ? 'page' : null;
}
