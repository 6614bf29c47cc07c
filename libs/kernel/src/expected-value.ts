/** Says in words what a JSON Schema asks of a value: "an integer number of milliseconds from 1 to 30000". Pure. */

/** The part of a JSON Schema that is read here. */
export interface ExpectedShape {
  readonly type?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly format?: string | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly required?: unknown;
  readonly anyOf?: readonly unknown[] | undefined;
  readonly items?: unknown;
}

/** Values of an enumeration that are listed. */
const MAX_LISTED = 20;

/** What a text with this `format` is. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time with its zone, such as 2026-12-24T10:00:00Z or 2026-12-24T11:00:00+01:00',
  date: 'a date, such as 2026-12-24',
  time: 'a time of day, such as 10:00:00',
  duration: 'a duration, such as PT15M',
  email: 'an e-mail address',
  uri: 'an absolute address, such as https://example.com/',
  uuid: 'a UUID',
};

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/(?:Ms|_ms)$/, ' of milliseconds'],
  [/(?:Seconds|_seconds)$/, ' of seconds'],
  [/(?:Bytes|_bytes)$/, ' of bytes'],
];

/**
 * @param name of the field: `…Ms` is a number of milliseconds
 * @param unit of a number whose name does not say it
 * @returns empty when the schema asks for nothing that can be said
 */
export function expectedValue(shape: ExpectedShape, name: string, unit?: string): string {
  const { type } = shape;
  if (shape.enum) return `one of ${shape.enum.slice(0, MAX_LISTED).map(asJson).join(', ')}`;
  if (shape.anyOf) return either(shape.anyOf.map((each) => expectedValue(each as ExpectedShape, name, unit)));
  if (Array.isArray(type)) return either(type.map((each) => expectedValue({ ...shape, type: each as string }, name)));
  switch (type) {
    case 'integer':
    case 'number':
      return numberWords(shape, unit === undefined ? unitOf(name) : ` of ${unit}`);
    case 'string':
      if (shape.format !== undefined && Object.hasOwn(FORMATS, shape.format)) return FORMATS[shape.format] ?? '';
      return `a text${counted(shape.minLength, shape.maxLength, 'characters')}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'array':
      return `a list${counted(shape.minItems, shape.maxItems, 'items')}`;
    case 'object':
      return `an object${withFields(shape.required)}`;
    default:
      return '';
  }
}

function numberWords({ type, minimum, maximum }: ExpectedShape, unit: string): string {
  const kind = type === 'integer' ? 'an integer number' : 'a number';
  const least = isLimit(minimum) ? minimum : undefined;
  const most = isLimit(maximum) ? maximum : undefined;
  if (least !== undefined && most !== undefined) return `${kind}${unit} from ${least} to ${most}`;
  if (least !== undefined) return `${kind}${unit}, at least ${least}`;
  return most === undefined ? `${kind}${unit}` : `${kind}${unit}, at most ${most}`;
}

/** What a schema says of every integer is not worth mentioning. */
function isLimit(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function counted(least: number | undefined, most: number | undefined, what: string): string {
  if (most === undefined) return least ? ` of at least ${least} ${what}` : '';
  return least ? ` of ${least} to ${most} ${what}` : ` of at most ${most} ${what}`;
}

function withFields(required: unknown): string {
  return Array.isArray(required) && required.length > 0 ? ` with ${required.slice(0, MAX_LISTED).join(', ')}` : '';
}

function either(words: readonly string[]): string {
  return [...new Set(words)].filter((each) => each !== '').join(' or ');
}

function unitOf(name: string): string {
  return UNITS.find(([ending]) => ending.test(name))?.[1] ?? '';
}

function asJson(value: unknown): string {
  return JSON.stringify(value);
}
