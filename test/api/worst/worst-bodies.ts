/**
 * The most expensive bodies of an operation, generated from the OpenAPI document, so that a new operation is tested automatically:
 * for each field the most expensive values of its type, and values that no operation accepts.
 */
import { schemaOf, type OpenApi, type Schema } from '../../rights/openapi-cells.js';
import {
  differentTexts,
  emptyObjects,
  FREE_KINDS,
  FREE_OBJECTS,
  longText,
  manyFields,
  MEGABYTE,
  type Kind,
} from './worst-values.js';

export interface WorstBody {
  readonly what: string;
  readonly text: string;
}

/** Of the bodies that somebody is given one after the other, and of whose answers they tell the status. */
export type WorstBodies = Generator<WorstBody, void, number>;

/** Free values are bounded by their bytes: the largest that is taken is more work than one that is refused, and than a smaller one. */
const FREE_SIZES = [510_000, 120_000, 60_000];

const OF_ANY_BODY: Readonly<Record<string, Kind>> = {
  'unknown fields': manyFields,
  'a list': FREE_KINDS.numbers as Kind,
};

/**
 * @param body one that the operation takes; undefined where it takes none
 * @param tried descriptions of bodies and fields that another operation got, which are left out; null: none is
 */
export function* worstBodies(
  schema: Schema | undefined,
  body: unknown,
  document: OpenApi,
  tried: Set<string> | null,
): WorstBodies {
  const { properties = {} } = schemaOf(schema ?? {}, document);
  const isNew = (described: object): boolean => {
    const text = JSON.stringify(described);
    const isKnown = tried?.has(text) ?? false;
    tried?.add(text);
    return !isKnown;
  };
  if (isNew(OF_ANY_BODY)) {
    for (const [what, kind] of Object.entries(OF_ANY_BODY)) yield { what, text: kind(MEGABYTE) };
  }
  for (const [field, shape] of Object.entries(properties)) {
    if (!isNew({ field, shape })) continue;
    for (const [what, sizes, kind] of kindsOf(schemaOf(shape, document))) {
      for (const size of sizes) {
        const status = yield { what: `${field}: ${what}, ${size} bytes`, text: withField(body, field, kind(size)) };
        if (status < 300 && tried) break;
      }
    }
  }
}

/** Each in sizes from the largest on. */
function* kindsOf(shape: Schema): Generator<readonly [what: string, sizes: readonly number[], kind: Kind]> {
  const types = [shape.type ?? shape.anyOf?.map(({ type }) => type)].flat(2);
  if (types.includes('array')) {
    yield ['different texts', [MEGABYTE], differentTexts];
    yield ['empty objects', [MEGABYTE], emptyObjects];
    return;
  }
  const isFree = types.every((type) => type === undefined);
  const isFreeObject = types.includes('object') && shape.additionalProperties !== undefined;
  if (isFree || isFreeObject) {
    const kinds = Object.entries(isFree ? { ...FREE_KINDS, fields: manyFields } : FREE_OBJECTS);
    yield ['fields', [MEGABYTE], manyFields];
    for (const [what, kind] of kinds) yield [what, FREE_SIZES, kind];
    return;
  }
  if (types.includes('object')) yield ['unknown fields', [MEGABYTE], manyFields];
  if (types.includes('string')) yield ['a long text', [MEGABYTE], longText];
}

function withField(body: unknown, field: string, value: string): string {
  const { [field]: _replaced, ...others } = (body ?? {}) as Record<string, unknown>;
  const before = JSON.stringify(others).slice(1, -1);
  return `{${before === '' ? '' : `${before},`}${JSON.stringify(field)}:${value}}`;
}
