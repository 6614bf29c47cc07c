/** Keywords of JSON Schema that hold no schemas. Those of another shape are left out: documents are often wrong. */

type Fits = (value: unknown) => boolean;

const TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Characters of what is for people. */
const MOST_TEXT = { title: 200, description: 1_000 } as const;
const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_CHARS = 4_096;

const isType: Fits = (value) => {
  const types = [value].flat();
  return types.length > 0 && types.every((each) => TYPES.includes(each));
};
const isNumber: Fits = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Fits = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText: Fits = (value) => typeof value === 'string';
const isFlag: Fits = (value) => typeof value === 'boolean';
const isTexts: Fits = (value) => Array.isArray(value) && value.every(isText);

const FITS: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ['type', isType],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['const', () => true],
  ['required', isTexts],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (name) => [name, isNumber] as const,
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => [name, isCount] as const,
  ),
  ...['pattern', 'format', 'title', 'description', 'contentMediaType', 'contentEncoding'].map(
    (name) => [name, isText] as const,
  ),
  ...['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'].map((name) => [name, isFlag] as const),
  ['default', (value) => isShort(value)],
  ['examples', (value) => Array.isArray(value)],
]);

/**
 * The keyword as it is kept; undefined: it is left out.
 *
 * @param onMisshapen called where the document is wrong
 */
export function keptKeyword(name: string, value: unknown, onMisshapen: () => void): unknown {
  const fits = FITS.get(name);
  if (!fits) return undefined;
  if (!fits(value)) {
    if (name !== 'default') onMisshapen();
    return undefined;
  }
  if (name === 'title' || name === 'description') return (value as string).slice(0, MOST_TEXT[name]).toWellFormed();
  if (name === 'examples') return shortExamples(value as readonly unknown[]);
  return value;
}

function shortExamples(examples: readonly unknown[]): readonly unknown[] | undefined {
  const short = examples.filter(isShort).slice(0, MAX_EXAMPLES);
  return short.length > 0 ? short : undefined;
}

function isShort(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value).length <= MAX_EXAMPLE_CHARS;
}
