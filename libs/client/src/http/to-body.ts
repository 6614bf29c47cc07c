import { defaultBodySerializer } from 'openapi-fetch';
import { writeJson } from '../json.js';

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
  try {
    return defaultBodySerializer(...args);
  } catch {
    return toJson(args[0]);
  }
}

/** @throws UnwritableValue */
export function toJson(value: unknown): string {
  try {
    return writeJson(value) as string;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnwritableValue(`What is to be sent cannot be written as JSON: ${reason}.`, { cause: error });
  }
}
