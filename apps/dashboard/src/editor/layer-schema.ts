/** What the published schema of flow documents says of a layer. Plain data: what made it of the shapes is too large for a page. */
import document from '../../../../docs/reference/weft.flow-1.schema.json' with { type: 'json' };

const { id: _, ...fields } = document.properties.layers.items.properties;
const { ref, name, appId, args, ...options } = fields;

type Options = typeof options;

/** The fields of a layer that users set. */
export const LAYER_FIELDS = Object.keys(fields) as readonly (keyof typeof fields)[];

/** The options of a layer: how it is run, as opposed to what it does. */
export const OPTIONS: Options = options;

/** What holds for each option that a layer does not use. */
export const UNUSED = Object.fromEntries(
  Object.entries(options).map(([option, schema]) => [option, 'default' in schema ? schema.default : null]),
) as Readonly<Record<keyof Options, unknown>>;
