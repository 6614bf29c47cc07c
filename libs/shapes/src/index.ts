export {
  LAYER_FIELDS,
  MAX_LAYERS,
  layerOptionsShape,
  layerShape,
  shownLayer,
  type ForEachOptions,
  type GivenOptions,
  type Layer,
  type LayerOptions,
  type RepeatOptions,
  type RetryOptions,
  type ShownLayer,
} from './layer.js';
export type { Plain } from './plain.js';
