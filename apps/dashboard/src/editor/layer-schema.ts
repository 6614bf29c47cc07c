/** What the shape of a layer says, as JSON Schema that `npm run docs` writes: what reads shapes is too large for a page. */
import schema from './layer-schema.json' with { type: 'json' };

const fields = schema.properties;
const { ref, name, appId, args, ...options } = fields;

type Options = typeof options;

/** The fields of a layer that users set. */
export const LAYER_FIELDS = Object.keys(fields) as readonly (keyof typeof fields)[];

/** The options of a layer: how it is run, as opposed to what it does. */
export const OPTIONS: Options = options;

/** What holds for each option that a layer does not use. */
export const UNUSED = Object.fromEntries(
  Object.entries(options).map(([option, field]) => [option, 'default' in field ? field.default : null]),
) as Readonly<Record<keyof Options, unknown>>;
