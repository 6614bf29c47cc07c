import { layerOptionsShape, type GivenOptions, type LayerOptions } from '@weft/shapes';

export const NO_OPTIONS: LayerOptions = layerOptionsShape.parse({});

/**
 * Fields that a request omits stay unchanged; an option that is an object is replaced as a whole, with what holds for the fields
 * that it leaves out. An option that nothing holds for is left out when it is null.
 */
export function withOptions(present: LayerOptions, given: GivenOptions): LayerOptions {
  const entries = Object.entries(layerOptionsShape.shape).map(([name, shape]) => {
    const value = given[name as keyof GivenOptions];
    return [name, value === undefined ? present[name as keyof LayerOptions] : shape.parse(value)] as const;
  });
  return Object.fromEntries(entries.filter(([name, value]) => value != null || name in NO_OPTIONS)) as LayerOptions;
}
