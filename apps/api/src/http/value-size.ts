import { WeftError } from '@weft/kernel';

/** The largest value of a caller's own that is stored with a play (contract §8): args, payloads. Bytes as JSON. */
export const MAX_VALUE_BYTES = 512 * 1024;

/** @throws WeftError `invalid_body` */
export function assertValueFits(name: string, value: unknown): void {
  if (value === undefined || Buffer.byteLength(JSON.stringify(value)) <= MAX_VALUE_BYTES) return;
  const message = `${name} may have ${MAX_VALUE_BYTES} bytes as JSON at most.`;
  throw new WeftError('invalid_body', message, { errors: [{ path: name, code: 'invalid', message }] });
}
