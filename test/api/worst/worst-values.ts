/** JSON texts of a given length that cost as much work as possible: to parse, to check, to store, to report faults in. */

/** Bytes that a body may have, less some for what is around a value. */
export const MEGABYTE = 1024 * 1024 - 4_096;

export type Kind = (bytes: number) => string;

/** As many items as fit, with commas between them. */
function filled(bytes: number, item: (i: number) => string): string {
  const items: string[] = [];
  for (let i = 0, used = 2; ; i += 1) {
    const text = item(i);
    used += text.length + 1;
    if (used > bytes) return items.join(',');
    items.push(text);
  }
}

const name = (i: number): string => i.toString(36);

/** Many fields of many operations are sent the same texts. */
function madeOnce(kind: Kind): Kind {
  const texts = new Map<number, string>();
  return (bytes) => {
    const text = texts.get(bytes) ?? kind(bytes);
    texts.set(bytes, text);
    return text;
  };
}

const list = (item: (i: number) => string): Kind => madeOnce((bytes) => `[${filled(bytes, item)}]`);
const object = (item: (i: number) => string): Kind => madeOnce((bytes) => `{${filled(bytes, item)}}`);

/** The maximum nesting of a body, less the levels around a value. */
const DEPTH = 24;

export const longText: Kind = (bytes) => `"${'x'.repeat(bytes)}"`;
export const differentTexts = list((i) => `"${name(i)}"`);
export const manyFields = object((i) => `"${name(i)}":1`);
export const emptyObjects = list(() => '{}');
const oneDeep: Kind = (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2);

/** Of values that a caller chooses freely. */
export const FREE_KINDS: Readonly<Record<string, Kind>> = {
  numbers: list(() => '1'),
  'empty lists': list(() => '[]'),
  'lists in lists': list(() => '['.repeat(DEPTH) + ']'.repeat(DEPTH)),
  'one list in another': oneDeep,
  'different texts': differentTexts,
  'escaped text': (bytes) => `"${'\\u00e9'.repeat(bytes / 6)}"`,
  expressions: list((i) => `"{{.${name(i)}}}"`),
};

/** As an object, which some values must be. */
export const FREE_OBJECTS: Readonly<Record<string, Kind>> = {
  fields: manyFields,
  'objects in fields': object((i) => `"${name(i)}":{}`),
  ...Object.fromEntries(
    Object.entries(FREE_KINDS).map(([what, kind]) => [what, (bytes: number) => `{"a":${kind(bytes - 6)}}`]),
  ),
};
