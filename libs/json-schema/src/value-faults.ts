/** Judges a value by a JSON Schema, in bounded time. Pure. */
import { nearestNames } from '@weft/expressions';
import { MAX_ERRORS, type FieldError } from '@weft/kernel';
import { MAX_PATTERN_TEXT, patternFault, waysOf } from './bounded-pattern.js';
import { definitionNamed, isObject, type JsonSchema } from './definitions.js';
import { JsonEquality } from './json-equality.js';
import { kindOf, readSchema, type ReadSchema } from './read-schema.js';

/**
 * For one value: schemas that are applied to values, values that are looked at, values of `enum` and `const`, and ways to try a
 * text, of which five are a step.
 */
const MAX_STEPS = 200_000;
/** References that are followed for one value, each from what the one before refers to. More are a circle. */
const MAX_CHAIN = 64;
const WAYS_PER_STEP = 5;
/** A character that has two UTF-16 units. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
/** Unknown names of one run for which suggestions are made. */
const MAX_SUGGESTED = 10;
/** Characters of a name in a path. */
const MAX_SHOWN = 100;

interface Pattern {
  readonly regExp: RegExp;
  readonly steps: number;
}

const PATTERNS = new WeakMap<ReadSchema, Pattern | null>();

export interface JudgeOptions {
  /** What the paths of faults begin with. Default: `args`. */
  readonly root?: string;
  /**
   * The schema is one that a peer wrote, which judges the value again. What cannot be judged in bounded time is left to the peer: a
   * pattern that may take long, a text that is too long for a pattern, and what is more than one value is judged by. `oneOf` holds for
   * several choices, too, since documents seldom mean exactly one.
   */
  readonly isForeign?: boolean;
  /** Of a foreign schema: a value that is more than it is judged by is refused. Nothing that the schema closes is left open then. */
  readonly isWhole?: boolean;
  /** Of a foreign schema: what is more than this many steps is left to the peer, too. Default and most: 200,000. */
  readonly maxSteps?: number;
  /** Finds names that are like another one. */
  readonly near?: typeof nearestNames;
}

/**
 * The first faults, as many as an answer lists.
 *
 * @param schema one that `schemaFaults` has nothing against, or a foreign one whose keywords have their right shape
 */
export function valueFaults(schema: JsonSchema, value: unknown, options: JudgeOptions = {}): FieldError[] {
  const judge = new Judge(schema.$defs, options);
  judge.apply(schema, value, 0);
  return judge.faults;
}

class Judge {
  readonly faults: FieldError[] = [];
  /** Where the value is that is looked at, from the root. It is written out for faults alone. */
  private readonly place: (string | number)[] = [];
  /** Inside a choice, whose faults are not those of the run: whether the value fits so far. */
  private fits: boolean | null = null;
  private steps = 0;
  private suggested = 0;
  private equality: JsonEquality | null = null;
  private counted = { text: '', characters: 0 };

  private readonly near: typeof nearestNames;
  private readonly isForeign: boolean;
  private readonly isWhole: boolean;
  private readonly maxSteps: number;
  private readonly root: string;

  constructor(
    private readonly definitions: unknown,
    { root = 'args', isForeign = false, isWhole = !isForeign, maxSteps = MAX_STEPS, near = nearestNames }: JudgeOptions,
  ) {
    this.root = root;
    this.isForeign = isForeign;
    this.isWhole = isWhole;
    this.maxSteps = maxSteps;
    this.near = near;
  }

  /** @param chain references that were followed for the same value */
  apply(schema: JsonSchema, value: unknown, chain: number): void {
    const read = readSchema(schema);
    const { types, choices, only, ref } = read;
    const names = isObject(value) ? Object.keys(value) : null;
    const inside = names ? names.length : Array.isArray(value) ? value.length : 0;
    if (chain > MAX_CHAIN || !this.mayTake(1 + read.size + inside)) return;
    if (types && (types.bits & kindOf(value)) === 0) {
      if (this.counts()) this.list(value === undefined ? 'is required' : `must be ${types.shown}`);
      return;
    }
    if (choices && !choices.some((each) => this.equals(each, value)) && this.counts()) {
      this.list(`must be one of ${shown(choices)}`);
    }
    if (only && !this.equals(only.value, value) && this.counts()) this.list(`must be ${shown(only.value)}`);
    if (names) this.applyToObject(read, value as Readonly<Record<string, unknown>>, names);
    else if (typeof value === 'number' || typeof value === 'bigint') this.applyToNumber(read, value);
    else if (typeof value === 'string') this.applyToText(read, value);
    else if (Array.isArray(value)) this.applyToList(read, value);
    if (ref !== undefined) this.applyReferred(ref, read, value, chain);
    if (read.allOf || read.anyOf || read.oneOf) this.applyChoices(read, value, chain);
  }

  private applyReferred(ref: string, read: ReadSchema, value: unknown, chain: number): void {
    const { definitions } = this;
    const known = read.referred?.definitions === definitions ? read.referred : null;
    const { schema } = known ?? (read.referred = { definitions, schema: definitionNamed(ref, definitions) });
    if (schema) this.apply(schema, value, chain + 1);
  }

  private equals(expected: unknown, value: unknown): boolean {
    this.equality ??= new JsonEquality();
    return this.equality.holds(expected, value);
  }

  /** Nothing that is found from here on changes the answer. */
  private isDecided(): boolean {
    return this.fits === false || this.steps > this.maxSteps || this.faults.length >= MAX_ERRORS;
  }

  /** One step too many refuses the value, inside a choice as well. */
  private mayTake(steps: number): boolean {
    if (this.isDecided()) return false;
    this.steps += steps;
    if (this.steps <= this.maxSteps) return true;
    if (!this.isWhole) return false;
    this.faults.push(this.fault('is more than a run is judged by: give less, or ask less in the schema'));
    return false;
  }

  private applyToNumber(read: ReadSchema, value: number | bigint): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = read;
    if (minimum !== undefined && value < minimum && this.counts()) this.list(`must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum && this.counts()) this.list(`must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum && this.counts())
      this.list(`must be above ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum && this.counts())
      this.list(`must be below ${exclusiveMaximum}`);
  }

  private applyToText(read: ReadSchema, value: string): void {
    const { minLength, maxLength, pattern: text } = read;
    if (minLength !== undefined && this.charactersOf(value) < minLength && this.counts())
      this.list(`must have at least ${minLength} characters`);
    if (maxLength !== undefined && value.length > maxLength && this.charactersOf(value) > maxLength && this.counts())
      this.list(`must have at most ${maxLength} characters`);
    if (text === undefined) return;
    if (value.length > MAX_PATTERN_TEXT) {
      if (this.isForeign) return;
      if (this.counts()) this.list(`must have at most ${MAX_PATTERN_TEXT} characters, because it has a pattern`);
      return;
    }
    let pattern = PATTERNS.get(read);
    if (pattern === undefined) PATTERNS.set(read, (pattern = patternOf(text)));
    if (pattern === null) return;
    if (!this.mayTake(pattern.steps)) return;
    if (!pattern.regExp.test(value) && this.counts()) this.list(`must match ${text}`);
  }

  /** As JSON Schema counts them: two emoji are two. Choices ask this of one text again and again. */
  private charactersOf(text: string): number {
    if (text !== this.counted.text) this.counted = { text, characters: text.length - (text.match(PAIR)?.length ?? 0) };
    return this.counted.characters;
  }

  private applyToList({ minItems, maxItems, items }: ReadSchema, value: readonly unknown[]): void {
    if (minItems !== undefined && value.length < minItems && this.counts())
      this.list(`must have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) {
      if (this.counts()) this.list(`must have at most ${maxItems} items`);
      return;
    }
    if (!items) return;
    for (let i = 0; i < value.length && !this.isDecided(); i += 1) this.applyWithin(i, items, value[i]);
  }

  private applyToObject(
    { required, properties, others }: ReadSchema,
    value: Readonly<Record<string, unknown>>,
    names: readonly string[],
  ): void {
    for (const name of required) {
      if (!Object.hasOwn(value, name) && this.counts()) this.list('is required', name);
    }
    for (const name of names) {
      if (this.isDecided()) return;
      const inner = properties.get(name) ?? others;
      if (inner === false && this.counts()) this.list(this.unknownName(properties, name), name.slice(0, MAX_SHOWN));
      else if (isObject(inner)) this.applyWithin(name, inner, value[name]);
    }
  }

  private applyWithin(step: string | number, schema: JsonSchema, value: unknown): void {
    this.place.push(step);
    this.apply(schema, value, 0);
    this.place.pop();
  }

  private applyChoices({ allOf, anyOf, oneOf }: ReadSchema, value: unknown, chain: number): void {
    if (allOf) for (const each of allOf) this.apply(each, value, chain);
    if (anyOf && this.fitting(anyOf, value, chain) === 0 && this.counts()) this.list('fits none of the choices');
    if (!oneOf) return;
    const fitting = this.fitting(oneOf, value, chain);
    if ((this.isForeign ? fitting === 0 : fitting !== 1) && this.counts())
      this.list(fitting === 0 ? 'fits none of the choices' : `fits ${fitting} choices, not one`);
  }

  /** How many of the schemas a value fits. */
  private fitting(schemas: readonly JsonSchema[], value: unknown, chain: number): number {
    if (this.isDecided()) return 0;
    const outer = this.fits;
    const fitting = schemas.filter((each) => {
      this.fits = true;
      this.apply(each, value, chain);
      return this.fits;
    }).length;
    this.fits = outer;
    return fitting;
  }

  /** Of a fault: whether the answer lists it. Its message is made only then. */
  private counts(): boolean {
    if (this.isDecided()) return false;
    if (this.fits === null) return true;
    this.fits = false;
    return false;
  }

  /** @param within name of a field of the value that is looked at */
  private list(message: string, within?: string): void {
    this.faults.push(this.fault(message, within));
  }

  private fault(message: string, within?: string): FieldError {
    const steps = this.place.map((step) => (typeof step === 'string' ? step.slice(0, MAX_SHOWN) : step));
    const path = [this.root, ...steps, ...(within === undefined ? [] : [within])].join('.');
    return { path, code: 'invalid_args', message };
  }

  private unknownName(known: ReadonlyMap<string, unknown>, name: string): string {
    this.suggested += 1;
    const near = this.suggested > MAX_SUGGESTED ? [] : this.near(name, [...known.keys()]);
    return `is not one of the ${this.root === 'args' ? 'args' : 'fields'}${near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''}`;
  }
}

/** Null for one that may take long: a schema that is saved here has none. */
function patternOf(pattern: string): Pattern | null {
  if (patternFault(pattern) !== null) return null;
  const ways = waysOf(pattern);
  const steps = typeof ways === 'number' ? Math.ceil(ways / WAYS_PER_STEP) : MAX_STEPS;
  return { regExp: new RegExp(pattern, 'u'), steps };
}

function shown(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 200 ? `${json.slice(0, 200)}…` : json;
}
