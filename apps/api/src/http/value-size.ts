import { WeftError } from '@weft/kernel';

/** The largest value of a caller's own that is stored with a play (docs/operator-contract.md §1): args, payloads. Bytes as JSON. */
export const MAX_VALUE_BYTES = 512 * 1024;

/** @throws WeftError `invalid_body` */
export function assertValueFits(name: string, value: unknown, maxBytes = MAX_VALUE_BYTES): void {
  if (value === undefined || Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return;
  const message = `${name} may have ${maxBytes} bytes as JSON at most.`;
  throw new WeftError('invalid_body', message, { errors: [{ path: name, code: 'invalid', message }] });
}
