/**
 * What the programs in here can reach: their data, and functions of the language that cannot be changed. They are JSONata and
 * patterns, not JavaScript (`code` has a realm of its own in WebAssembly); this stands behind them for the day on which one
 * finds a hole in its interpreter.
 */

const RealDate = Date;
let nowMs = 0;
let nextRandom = (): number => 0;

/** From now on the time is this and chance follows from the seed, for whatever runs in this realm. */
export function fixClockAndChance(clockMs: number, seed: string): void {
  nowMs = clockMs;
  nextRandom = randomFrom(seed);
}

const REACH_OUT = [
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

/** Call it once, when everything is loaded. */
export function sealRealm(): void {
  Object.defineProperty(globalThis, 'Date', { value: FixedDate });
  Math.random = () => nextRandom();
  for (const name of REACH_OUT) Reflect.deleteProperty(globalThis, name);
  // data may have a field of this name, and a field is all that it then is
  Reflect.deleteProperty(Object.prototype, '__proto__');

  for (const errors of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
    freezeButShadowable(errors.prototype);
  }
  freezeButShadowable(Object.prototype);
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
 * Of a frozen prototype no field can be shadowed by assignment: `{}.toString = x` would fail, although it harms nobody. As
 * accessors, the fields stay as they are and let objects have their own.
 */
function freezeButShadowable(prototype: object): void {
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

  /** Goes on: only limits look at it. What expressions ask for is `new Date()`. */
  static override now(): number {
    return RealDate.now();
  }
}

/** A small generator (mulberry32): alike for the same seed, and nothing to guard a secret with. */
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
