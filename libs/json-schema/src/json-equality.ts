/** Whether values that were JSON are the same. Pure. */
import { isObject } from './definitions.js';

/**
 * One comparison takes as many steps as the expected value has values, however large the other is: the names of each object
 * are listed once for all comparisons.
 */
export class JsonEquality {
  private readonly names = new Map<object, readonly string[]>();

  holds(expected: unknown, value: unknown): boolean {
    if (Array.isArray(expected)) {
      return (
        Array.isArray(value) &&
        value.length === expected.length &&
        expected.every((each, i) => this.holds(each, value[i]))
      );
    }
    // a schema keeps such an integer as the text of its digits
    if (typeof value === 'bigint') return String(expected) === String(value);
    if (!isObject(expected)) return expected === value;
    if (!isObject(value)) return false;
    const names = this.namesOf(expected);
    return (
      names.length === this.namesOf(value).length &&
      names.every((name) => Object.hasOwn(value, name) && this.holds(expected[name], value[name]))
    );
  }

  private namesOf(value: object): readonly string[] {
    let names = this.names.get(value);
    if (!names) this.names.set(value, (names = Object.keys(value)));
    return names;
  }
}
