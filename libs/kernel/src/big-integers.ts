/**
 * An integer beyond ±(2^53 − 1) that came in as JSON is a `bigint` in memory: expressions pass it on, and JSON that is written
 * has its digits. MongoDB has no such type for them all: values that may have one are stored as JSON text (`writeJson` tells), and
 * anywhere else in a document it becomes its digits as a text, so that none is ever rounded.
 */

/** Node 24 and browsers have it; the types do not yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/** Counts, so that whoever writes JSON knows at no cost whether it has such integers. */
let written = 0;
/** Set while JSON is written for programs: a replacer would be called for each value that there is. */
let asTexts = false;

Object.defineProperties(BigInt.prototype, {
  toJSON: {
    configurable: true,
    value(this: bigint) {
      written += 1;
      return asTexts ? String(this) : rawJSON(String(this));
    },
  },
  toBSON: {
    configurable: true,
    value(this: bigint) {
      // smaller ones are the driver's own, such as the id of a cursor that is exhausted
      return BigInt.asIntN(54, this) === this ? this : String(this);
    },
  },
});

export interface WrittenJson {
  /** Undefined where there is no JSON of the value, as `JSON.stringify` says it. */
  readonly json: string | undefined;
  readonly hasBigIntegers: boolean;
}

export function writeJson(value: unknown): WrittenJson {
  const before = written;
  const json = JSON.stringify(value) as string | undefined;
  return { json, hasBigIntegers: written !== before };
}

/** For JSONata and JavaScript that users wrote, whose numbers have not as many digits: such integers are texts there. */
export function writeJsonForPrograms(value: unknown): string {
  const { json, hasBigIntegers } = writeJson(value);
  if (!hasBigIntegers) return json as string;
  asTexts = true;
  try {
    return JSON.stringify(value);
  } finally {
    asTexts = false;
  }
}

/** The value as JSONata and JavaScript that users wrote see it. */
export function asSeenByPrograms(value: unknown): unknown {
  return JSON.parse(writeJsonForPrograms(value)) as unknown;
}

export function hasBigIntegers(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasBigIntegers);
}
