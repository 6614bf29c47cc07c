import { unreadable } from './weft-error.js';

/** Statuses of answers that have no body. */
const BODILESS = [101, 204, 205, 304];

/**
 * The answer with its body in memory, so that a body that breaks off is a failed attempt.
 *
 * @throws WeftError `unreadable` when the body has more bytes; the rest of it is not read
 */
export async function readWhole(response: Response, mostBytes: number): Promise<Response> {
  if (response.body === null) return response;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    parts.push(step.value);
    bytes += step.value.length;
    if (bytes <= mostBytes) continue;
    reader.cancel().catch(() => undefined);
    throw unreadable(`The answer has more than ${mostBytes} bytes.`, response.status);
  }
  const { status, headers } = response;
  return new Response(BODILESS.includes(status) ? null : new Blob(parts), { status, headers });
}
