/** What layers name that the company has of its own: by themselves, or in the layers within their arguments. Pure. */
import type { LayerDefinition } from '@weft/engine';
import type { LayerPart } from './layer-part.js';
import { moduleOf } from './registry.js';

type Layer = Pick<LayerDefinition, 'appId' | 'args'>;
type Args = LayerDefinition['args'];

export interface NamedFace extends LayerPart {
  /** In dots, from the arguments of the layer; '' for a layer that names it by itself. */
  readonly path: string;
  readonly faceKey: string;
}

export function namedFaces(layer: Layer): readonly NamedFace[] {
  return withParts(layer).flatMap((part) => (part.faceKey === null ? [] : [{ ...part, faceKey: part.faceKey }]));
}

/** The layer, and the layers within its arguments. */
export function withParts({ appId, args }: Layer): readonly LayerPart[] {
  const module = moduleOf(appId);
  const own = { path: '', appId, args, faceKey: module?.faceKey?.(args) ?? null, isPinned: true };
  return [own, ...(typeof args === 'object' && args !== null ? (module?.partsOf?.(args) ?? []) : [])];
}

/** The key of what the layer names by itself; see `faceKey` of modules. */
export function faceKeyOf({ appId, args }: Layer): string | null {
  return moduleOf(appId)?.faceKey?.(args) ?? null;
}

/** Each once. */
export function faceKeysOf(layers: readonly Layer[]): readonly string[] {
  return [...new Set(layers.flatMap((layer) => namedFaces(layer).map(({ faceKey }) => faceKey)))];
}

/** The arguments with the state that what is named at this path is pinned to. */
export function withPin(args: Args, { path }: Pick<NamedFace, 'path'>, digest: unknown): Args {
  return path === '' ? { ...args, digest } : (changed(args, path.split('.'), digest) as Args);
}

function changed(value: unknown, [step, ...rest]: readonly string[], digest: unknown): unknown {
  if (step === undefined) return { ...(value as Args), digest };
  if (Array.isArray(value)) return value.with(Number(step), changed(value[Number(step)], rest, digest));
  return { ...(value as Args), [step]: changed((value as Args)[step], rest, digest) };
}
