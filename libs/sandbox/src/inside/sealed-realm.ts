/**
 * Limits what the programs in this process can reach to their data and to language functions that cannot be changed. The programs
 * are JSONata and patterns, not JavaScript (`code` has a realm of its own in WebAssembly); this is the second line of defence, for
 * a program that finds a hole in its interpreter.
 */

import { ownCpuTimeMs } from './own-cpu-time.js';

const RealDate = Date;
let nowMs = 0;
let nextRandom = (): number => 0;

/** From now on everything in this realm sees this time, and random numbers that follow from the seed. */
export function fixClockAndRandom(clockMs: number, seed: string): void {
  nowMs = clockMs;
  nextRandom = randomFrom(seed);
}

const REMOVED_GLOBALS = [
  'process',
  'fetch',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
  'MessageChannel',
  'Worker',
  'navigator',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'SharedArrayBuffer',
  'Atomics',
  'localStorage',
  'sessionStorage',
  'console',
  'eval',
  'Function',
];

/** Call it once, after everything is loaded. */
export function sealRealm(): void {
  Object.defineProperty(globalThis, 'Date', { value: FixedDate });
  Math.random = () => nextRandom();
  for (const name of REMOVED_GLOBALS) Reflect.deleteProperty(globalThis, name);
  // data may have a field of this name: it is then an ordinary field
  Reflect.deleteProperty(Object.prototype, '__proto__');

  for (const errors of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
    freezeShadowable(errors.prototype);
  }
  freezeShadowable(Object.prototype);
  const rest = [Array, String, Number, Boolean, BigInt, Symbol, RegExp, RealDate, Map, Set, WeakMap, WeakSet, Promise];
  for (const constructor of rest) {
    Object.freeze(constructor);
    Object.freeze(constructor.prototype);
  }
  for (const made of [[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator]()]) {
    Object.freeze(Object.getPrototypeOf(made));
    Object.freeze(Object.getPrototypeOf(Object.getPrototypeOf(made)));
  }
  for (const made of [() => 0, async () => 0, function* () {}, async function* () {}]) {
    Object.freeze(Object.getPrototypeOf(made));
  }
  for (const constant of [Object, FixedDate, Math, JSON, Reflect]) Object.freeze(constant);
}

/**
 * Fields of a frozen prototype cannot be shadowed by assignment: `{}.toString = x` would fail, although it does no harm. As
 * accessors, the fields cannot be changed, but objects can have their own.
 */
function freezeShadowable(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const field = Reflect.getOwnPropertyDescriptor(prototype, key);
    if (!field?.configurable || !('value' in field)) continue;
    const value: unknown = field.value;
    Object.defineProperty(prototype, key, {
      get: () => value,
      set(this: object, own: unknown) {
        if (this === prototype) throw new TypeError('what all objects share cannot be changed');
        Object.defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
      },
      enumerable: false,
      configurable: false,
    });
  }
  Object.freeze(prototype);
}

class FixedDate extends RealDate {
  constructor(...parts: unknown[]) {
    super(...((parts.length === 0 ? [nowMs] : parts) as []));
  }

  /** Moves on with the time for which this program had a processor: only time limits read it. Expressions read `new Date()`. */
  static override now(): number {
    return ownCpuTimeMs();
  }
}

/** A small generator (mulberry32): the same numbers for the same seed; not suitable for secrets. */
function randomFrom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i += 1) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
