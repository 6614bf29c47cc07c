/** What the shape of a layer says, as JSON Schema that `npm run docs` writes: what reads shapes is too large for a page. */
import { properties } from './layer-options.json' with { type: 'json' };

/** The options of a layer: how it is run, as opposed to what it does. */
export const OPTIONS = properties;

export type OptionName = keyof typeof OPTIONS;

/** The fields of a layer that users set. */
export const LAYER_FIELDS = ['ref', 'name', 'appId', 'args', ...(Object.keys(OPTIONS) as OptionName[])] as const;

/** What holds for each option that a layer does not use. */
export const UNUSED = Object.fromEntries(
  Object.entries(OPTIONS).map(([option, field]) => [option, 'default' in field ? field.default : null]),
) as Readonly<Record<OptionName, unknown>>;
