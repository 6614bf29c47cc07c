import { Readable } from 'node:stream';

/** A body that is not held in memory: made anew for each time that it is sent. */
export interface StreamedBody {
  /** Bytes. */
  readonly length: number;
  /** From its beginning. It fails when it cannot be read to its end. */
  open(): AsyncIterable<Uint8Array>;
}

export type OutgoingBody = string | Uint8Array | StreamedBody;

export function isStreamed(body: OutgoingBody | null | undefined): body is StreamedBody {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
}

/** What undici sends; of a stream the length is said in a header, so that no peer gets it in chunks of unknown number. */
export function sentBody(body: OutgoingBody | null, headers: readonly string[]) {
  if (!isStreamed(body)) return { body, headers: headers as string[] };
  const stream = Readable.from(body.open(), { objectMode: false });
  return { body: stream, headers: [...headers, 'content-length', String(body.length)] };
}
