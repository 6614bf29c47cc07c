import type { DraftLayer } from './draft';
import { newLayer } from './new-layer';

export function aDraft(ref: string, fields: Partial<DraftLayer> = {}): DraftLayer {
  const key = `id-${ref}`;
  return { ...newLayer(key, ref, 'text-template', ref, { template: 'x' }), id: key, ...fields };
}
