/** Judges the args of a run by the JSON Schema of its flow, in bounded time. Pure. */
import { nearestNames } from '@weft/expressions';
import { countValues, MAX_ERRORS, WeftError, type FieldError } from '@weft/kernel';
import { MAX_PATTERN_TEXT, waysOf } from './bounded-pattern.js';
import { JsonEquality } from './json-equality.js';
import { isObject, type ArgsSchema } from './schema-faults.js';

/**
 * For one run: schemas that are applied to values, values that are looked at, values of `enum` and `const`, and ways to try a
 * text, of which five are a step.
 */
const MAX_STEPS = 200_000;
const WAYS_PER_STEP = 5;
/** A character that has two UTF-16 units. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
/** Unknown names of one run for which suggestions are made. */
const MAX_SUGGESTED = 10;

interface Pattern {
  readonly regExp: RegExp;
  readonly steps: number;
}

const PATTERNS = new WeakMap<ArgsSchema, Pattern>();
const SIZES = new WeakMap<ArgsSchema, number>();

/** @throws WeftError `invalid_args`, with the path of each fault */
export function assertArgsFit(schema: ArgsSchema | null | undefined, args: unknown): void {
  if (!schema) return;
  const errors = argsFaults(schema, args);
  const first = errors[0];
  if (first)
    throw new WeftError('invalid_args', `The args do not fit the flow: ${first.path}: ${first.message}.`, { errors });
}

/**
 * The first faults, as many as an answer lists.
 *
 * @param near finds names that are like another one
 */
export function argsFaults(schema: ArgsSchema, args: unknown, near: typeof nearestNames = nearestNames): FieldError[] {
  const judge = new Judge(near);
  judge.apply(schema, args, 'args');
  return judge.faults;
}

class Judge {
  readonly faults: FieldError[] = [];
  /** Inside a choice, whose faults are not those of the run: whether the value fits so far. */
  private fits: boolean | null = null;
  private steps = 0;
  private suggested = 0;
  private readonly equality = new JsonEquality();
  private counted = { text: '', characters: 0 };

  constructor(private readonly near: typeof nearestNames) {}

  apply(schema: ArgsSchema, value: unknown, path: string): void {
    if (this.isDecided() || !this.mayTake(1 + sizeOf(schema) + namesIn(value), path)) return;
    const { type } = schema;
    if (type !== undefined && ![type].flat().some((each) => isOfType(value, each))) {
      this.add(path, () => (value === undefined ? 'is required' : `must be ${[type].flat().map(String).join(' or ')}`));
      return;
    }
    if (Array.isArray(schema.enum) && !schema.enum.some((each) => this.equality.holds(each, value))) {
      this.add(path, () => `must be one of ${shown(schema.enum)}`);
    }
    if (Object.hasOwn(schema, 'const') && !this.equality.holds(schema.const, value)) {
      this.add(path, () => `must be ${shown(schema.const)}`);
    }
    if (typeof value === 'number' || typeof value === 'bigint') this.applyToNumber(schema, value, path);
    else if (typeof value === 'string') this.applyToText(schema, value, path);
    else if (Array.isArray(value)) this.applyToList(schema, value, path);
    else if (isObject(value)) this.applyToObject(schema, value, path);
    this.applyChoices(schema, value, path);
  }

  /** Nothing that is found from here on changes the answer. */
  private isDecided(): boolean {
    return this.fits === false || this.steps > MAX_STEPS || this.faults.length >= MAX_ERRORS;
  }

  /** One step too many refuses the run, inside a choice as well. */
  private mayTake(steps: number, path: string): boolean {
    if (this.isDecided()) return false;
    this.steps += steps;
    if (this.steps <= MAX_STEPS) return true;
    this.faults.push(faultAt(path, 'is more than a run is judged by: give less, or ask less in the schema'));
    return false;
  }

  private applyToNumber(schema: ArgsSchema, value: number | bigint, path: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | undefined>;
    if (minimum !== undefined && value < minimum) this.add(path, () => `must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) this.add(path, () => `must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.add(path, () => `must be above ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      this.add(path, () => `must be below ${exclusiveMaximum}`);
  }

  private applyToText(schema: ArgsSchema, value: string, path: string): void {
    const { minLength, maxLength } = schema as Record<string, number | undefined>;
    if (minLength !== undefined && this.charactersOf(value) < minLength)
      this.add(path, () => `must have at least ${minLength} characters`);
    if (maxLength !== undefined && value.length > maxLength && this.charactersOf(value) > maxLength)
      this.add(path, () => `must have at most ${maxLength} characters`);
    const { pattern: text } = schema;
    if (typeof text !== 'string') return;
    if (value.length > MAX_PATTERN_TEXT) {
      this.add(path, () => `must have at most ${MAX_PATTERN_TEXT} characters, because it has a pattern`);
      return;
    }
    let pattern = PATTERNS.get(schema);
    if (!pattern) PATTERNS.set(schema, (pattern = patternOf(text)));
    if (!this.mayTake(pattern.steps, path)) return;
    if (!pattern.regExp.test(value)) this.add(path, () => `must match ${text}`);
  }

  /** As JSON Schema counts them: two emoji are two. Choices ask this of one text again and again. */
  private charactersOf(text: string): number {
    if (text !== this.counted.text) this.counted = { text, characters: text.length - (text.match(PAIR)?.length ?? 0) };
    return this.counted.characters;
  }

  private applyToList(schema: ArgsSchema, value: readonly unknown[], path: string): void {
    const { minItems, maxItems } = schema as Record<string, number | undefined>;
    if (minItems !== undefined && value.length < minItems) this.add(path, () => `must have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) {
      this.add(path, () => `must have at most ${maxItems} items`);
      return;
    }
    const { items } = schema;
    if (!isObject(items)) return;
    for (let i = 0; i < value.length && !this.isDecided(); i += 1) this.apply(items, value[i], `${path}.${i}`);
  }

  private applyToObject(schema: ArgsSchema, value: Readonly<Record<string, unknown>>, path: string): void {
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const name of (schema.required as readonly string[] | undefined) ?? []) {
      if (!Object.hasOwn(value, name)) this.add(`${path}.${name}`, () => 'is required');
    }
    for (const [name, each] of Object.entries(value)) {
      if (this.isDecided()) return;
      const inner = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
      if (inner === false) this.add(`${path}.${name.slice(0, 100)}`, () => this.unknownName(properties, name));
      else if (isObject(inner)) this.apply(inner, each, `${path}.${name.slice(0, 100)}`);
    }
  }

  private applyChoices({ allOf, anyOf, oneOf }: ArgsSchema, value: unknown, path: string): void {
    for (const each of listOf(allOf)) this.apply(each, value, path);
    if (anyOf !== undefined && this.fitting(listOf(anyOf), value, path) === 0)
      this.add(path, () => 'fits none of the choices');
    if (oneOf === undefined) return;
    const fitting = this.fitting(listOf(oneOf), value, path);
    if (fitting !== 1)
      this.add(path, () => (fitting === 0 ? 'fits none of the choices' : `fits ${fitting} choices, not one`));
  }

  /** How many of the schemas a value fits. */
  private fitting(schemas: readonly ArgsSchema[], value: unknown, path: string): number {
    if (this.isDecided()) return 0;
    const outer = this.fits;
    const fitting = schemas.filter((each) => {
      this.fits = true;
      this.apply(each, value, path);
      return this.fits;
    }).length;
    this.fits = outer;
    return fitting;
  }

  /** @param message made only for a fault that the answer lists */
  private add(path: string, message: () => string): void {
    if (this.isDecided()) return;
    if (this.fits === null) this.faults.push(faultAt(path, message()));
    else this.fits = false;
  }

  private unknownName(known: Readonly<Record<string, unknown>>, name: string): string {
    this.suggested += 1;
    const near = this.suggested > MAX_SUGGESTED ? [] : this.near(name, Object.keys(known));
    return `is not one of the args${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`;
  }
}

/** @param pattern one that was taken when the schema was saved */
function patternOf(pattern: string): Pattern {
  const ways = waysOf(pattern);
  const steps = typeof ways === 'number' ? Math.ceil(ways / WAYS_PER_STEP) : MAX_STEPS;
  return { regExp: new RegExp(pattern, 'u'), steps };
}

/** How much a schema compares a value with. */
function sizeOf(schema: ArgsSchema): number {
  let size = SIZES.get(schema);
  if (size === undefined) {
    size = [schema.type, schema.required, schema.enum, schema.const].reduce<number>(
      (sum, each) => sum + (each === undefined ? 0 : countValues(each)),
      0,
    );
    SIZES.set(schema, size);
  }
  return size;
}

function namesIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function listOf(schemas: unknown): readonly ArgsSchema[] {
  return Array.isArray(schemas) ? (schemas as readonly ArgsSchema[]) : [];
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) || typeof value === 'bigint';
  if (type === 'number') return typeof value === 'number' || typeof value === 'bigint';
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

function shown(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 200 ? `${json.slice(0, 200)}…` : json;
}

function faultAt(path: string, message: string): FieldError {
  return { path, code: 'invalid_args', message };
}
