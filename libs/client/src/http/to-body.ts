import { defaultBodySerializer } from 'openapi-fetch';

/** A value that JSON does not have: nothing was sent. */
export class UnwritableValue extends TypeError {
  override readonly name = 'TypeError';
}

/**
 * Writes the body of a request. What cannot be written says nothing of the connection.
 *
 * @throws UnwritableValue
 */
export function toBody(...args: Parameters<typeof defaultBodySerializer>): ReturnType<typeof defaultBodySerializer> {
  return writing(args[0], () => defaultBodySerializer(...args));
}

/** @throws UnwritableValue */
export function toJson(value: unknown): string {
  return writing(value, () => JSON.stringify(value));
}

function writing<T>(value: unknown, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const path = pathOfBigInt(value, new Set());
    const reason = error instanceof Error ? error.message : String(error);
    const fault = path === null ? reason : `${path || 'it'} is a BigInt. Give it as a number or a text`;
    throw new UnwritableValue(`What is to be sent cannot be written as JSON: ${fault}.`, { cause: error });
  }
}

/** Where the first one is, in dots; null: there is none. */
function pathOfBigInt(value: unknown, seen: Set<object>): string | null {
  if (typeof value === 'bigint') return '';
  if (typeof value !== 'object' || value === null || seen.has(value)) return null;
  seen.add(value);
  for (const [name, inner] of Object.entries(value)) {
    const path = pathOfBigInt(inner, seen);
    if (path !== null) return path === '' ? name : `${name}.${path}`;
  }
  return null;
}
