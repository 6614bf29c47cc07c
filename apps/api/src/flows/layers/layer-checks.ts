import type { LayerDefinition } from '@weft/engine';
import { asSentence, WeftError } from '@weft/kernel';
import { stageFaults, validateLayer } from '@weft/layers';

/** In order of importance: a refusal has the first that applies, and names all faults. */
export const LAYER_REFUSALS = ['unknown_app', 'invalid_expression', 'invalid_args', 'invalid_options'] as const;

/**
 * Refuses a layer that is wrong by itself: that it reads layers which are not there (yet) is only warned of.
 *
 * @throws WeftError `unknown_app`, `invalid_expression`, `invalid_args`, `invalid_options`
 */
export function assertLayer(layer: LayerDefinition): void {
  const errors = validateLayer(layer);
  const code = LAYER_REFUSALS.find((each) => errors.some((error) => error.code === each));
  const first = errors.find((error) => error.code === code);
  if (code && first) throw new WeftError(code, asSentence(first.message), { errors });
}

/**
 * Refuses an order in which another layer is between the layers of a stage.
 *
 * @param path the field of the request that put it there
 * @throws WeftError `invalid_options`
 */
export function assertStages(layers: readonly LayerDefinition[], path: string): void {
  const errors = stageFaults(layers).map((fault) => ({ ...fault, path }));
  if (errors[0]) throw new WeftError('invalid_options', `${errors[0].message}.`, { errors });
}
