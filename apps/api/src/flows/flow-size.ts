/**
 * Bounds the layers of a flow. They are one document, which is parsed whole whenever the flow is read or run, and that blocks
 * the event loop: the time depends on the number of values, not on their size.
 */
import type { LayerDefinition } from '@weft/engine';
import { bsonBytes, countValues, WeftError } from '@weft/kernel';

/** As MongoDB counts bytes. A document has at most 16 MB; half of that leaves room for what is stored besides the layers. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Numbers, texts, lists and objects of all layers. */
export const MAX_FLOW_VALUES = 50_000;

type Layers = readonly Partial<LayerDefinition>[];

/**
 * @param before the layers that are stored: the same ones were judged when they were saved
 * @throws WeftError `body_too_large`
 */
export function assertLayersFit(layers: Layers, before?: Layers): void {
  if (layers === before) return;
  if (hasTooManyValues(layers)) throw tooManyValues();
  if (bsonBytes(layers) > MAX_BYTES) {
    throw new WeftError(
      'body_too_large',
      'All layers of a flow together may have at most 8 MB, as MongoDB stores them.',
    );
  }
}

/**
 * Of one layer, before anything looks into it.
 *
 * @throws WeftError `body_too_large`
 */
export function assertLayerFits({ args }: Pick<LayerDefinition, 'args'>, before?: Pick<LayerDefinition, 'args'>): void {
  if (args !== before?.args && hasTooManyValues(args)) throw tooManyValues();
}

export function hasTooManyValues(value: unknown): boolean {
  return countValues(value, MAX_FLOW_VALUES) > MAX_FLOW_VALUES;
}

export const TOO_MANY_VALUES = `all layers of a flow together may have at most ${MAX_FLOW_VALUES} values (numbers, texts, lists and objects)`;

function tooManyValues(): WeftError {
  return new WeftError('body_too_large', `${TOO_MANY_VALUES[0]?.toUpperCase()}${TOO_MANY_VALUES.slice(1)}.`);
}
