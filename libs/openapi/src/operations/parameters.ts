import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { entriesOf, listOf, own, textOf, type JsonObject } from '../json.js';
import type { KeptSchema, SchemaLibrary, Warn } from '../schema/schema-library.js';
import { PLACES, STYLES, type Parameter, type Place, type Style } from './plan.js';
import { carriesCredential } from './security.js';

const STYLES_OF: Readonly<Record<Place, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
/** OpenAPI 3.1, section 4.8.12: parameters of these names are ignored. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const MAX_PARAMETERS = 2_000;

export interface ReadParameter {
  readonly parameter: Parameter;
  readonly isRequired: boolean;
  readonly schema: KeptSchema;
}

export interface ParameterSource {
  readonly references: References;
  readonly library: SchemaLibrary;
  readonly warn: Warn;
  readonly schemes: Readonly<Record<string, JsonObject>>;
  readonly isSecured: boolean;
}

/**
 * The parameters of an operation and of its path; the operation's replace those of the path.
 *
 * @param template the path, in which each `{name}` is a parameter, whether the document lists it or not
 * @throws Unusable
 */
export function readParameters(
  lists: readonly { readonly nodes: unknown; readonly path: string }[],
  template: string,
  source: ParameterSource,
): readonly ReadParameter[] {
  const read = new Map<string, ReadParameter>();
  for (const { nodes, path } of lists) {
    listOf(nodes).forEach((node, i) => {
      const one = readParameter(node, `${path}/parameters/${i}`, source);
      if (one) read.set(`${one.parameter.in} ${one.parameter.name}`, one);
    });
  }
  const inTemplate = new Set([...template.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? ''));
  for (const [key, { parameter }] of read) {
    if (parameter.in === 'path' && !inTemplate.has(parameter.name)) read.delete(key);
  }
  for (const name of inTemplate) {
    if (read.has(`path ${name}`)) continue;
    source.warn(lists.at(-1)?.path ?? '', `does not list the parameter {${name}} of its path; it is taken as a text`);
    const parameter: Parameter = { name, in: 'path', style: 'simple', explode: false };
    read.set(`path ${name}`, {
      parameter,
      isRequired: true,
      schema: { schema: { type: 'string' }, refs: new Set(), chars: 17 },
    });
  }
  if (read.size > MAX_PARAMETERS) throw new Unusable(`has more than ${MAX_PARAMETERS} parameters`);
  return [...read.values()];
}

function readParameter(written: unknown, path: string, source: ParameterSource): ReadParameter | null {
  const { value: node } = source.references.follow(written);
  const [name, place] = [textOf(node, 'name'), textOf(node, 'in')];
  if (name === undefined || !isPlace(place)) {
    source.warn(path, `is a parameter in "${String(place).slice(0, 20)}", which cannot be sent; it is left out`);
    return null;
  }
  if (place === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) return null;
  if (place === 'header' && !HEADER_NAME.test(name)) {
    source.warn(path, 'is a header whose name cannot be sent; it is left out');
    return null;
  }
  if (carriesCredential({ name, place }, source.schemes, source.isSecured)) {
    source.warn(
      path,
      `is the parameter "${name.slice(0, 50)}", which has the credential: the link sends it, so it is left out`,
    );
    return null;
  }
  const [content] = entriesOf(node.content);
  const schema = source.library.convert(own(content?.[1] ?? node, 'schema') ?? true, path);
  // the link may have it, so that nobody needs to give it
  const mayBeCredential = source.isSecured && /^(token|key)$/i.test(name);
  const parameter: Parameter = {
    name,
    in: place,
    ...styleOf(node, place, path, source.warn),
    ...(content && { content: content[0].toLowerCase() }),
  };
  return { parameter, isRequired: place === 'path' || (node.required === true && !mayBeCredential), schema };
}

function styleOf(
  node: JsonObject,
  place: Place,
  path: string,
  warn: Warn,
): Pick<Parameter, 'style' | 'explode' | 'allowReserved'> {
  const usual = STYLES_OF[place][0] ?? 'simple';
  const written = own(node, 'style');
  const style = STYLES.find((each) => each === written) ?? usual;
  const isFitting = STYLES_OF[place].includes(style);
  if (written !== undefined && (!isFitting || style !== written)) {
    warn(path, `has a style that is not one of a ${place} parameter; it is sent as ${usual}`);
  }
  const kept = isFitting ? style : usual;
  const explode = typeof node.explode === 'boolean' ? node.explode : kept === 'form' || kept === 'deepObject';
  // a vendor's word for a parameter of the path whose slashes are part of the path
  const isOpen = node.allowReserved === true || node['x-multi-segment'] === true;
  return { style: kept, explode, ...(isOpen && { allowReserved: true }) };
}

function isPlace(place: string | undefined): place is Place {
  return PLACES.some((each) => each === place);
}
