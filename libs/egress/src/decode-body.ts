import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { EgressError } from './egress-client.js';

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const inflateZlib: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

const DECODERS: Readonly<Record<string, Decoder>> = Object.assign(Object.create(null) as Record<string, Decoder>, {
  gzip: promisify(gunzip) satisfies Decoder,
  'x-gzip': promisify(gunzip) satisfies Decoder,
  br: promisify(brotliDecompress) satisfies Decoder,
  // "deflate" is the zlib format by RFC 9110, but some servers send raw deflate
  deflate: ((body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? inflateZlib(body, options) : inflateBare(body, options)) satisfies Decoder,
});

/** More codings in one response are an attack on the reader, not a server's configuration. */
const MAX_CODINGS = 3;

/**
 * Decodes the content codings off the event loop. It stops as soon as a result exceeds `maxBytes`, so that a
 * decompression bomb costs no more memory than an honest response. An unknown coding is left as it came. Throws
 * EgressError: `output_too_large`, `connect_failed` when the bytes do not match the header.
 */
export async function decodeBody(body: Buffer, encoding: string, maxBytes: number, host: string): Promise<Buffer> {
  let decoded = body;
  for (const coding of codingsOf(encoding, host).reverse()) {
    const decoder = DECODERS[coding];
    if (!decoder) return decoded;
    try {
      decoded = await decoder(decoded, { maxOutputLength: maxBytes });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(host, maxBytes);
      throw notDecoded(host, cause);
    }
  }
  return decoded;
}

/** In the order in which they were applied. Throws EgressError `connect_failed` when there are too many. */
export function codingsOf(encoding: string | undefined, host: string): string[] {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) {
    throw new EgressError('connect_failed', `${host} applied more than ${MAX_CODINGS} content codings`);
  }
  return codings;
}

export function notDecoded(host: string, cause: unknown): EgressError {
  return new EgressError('connect_failed', `${host} sent a body that is not what its content coding says`, { cause });
}

export function tooLarge(host: string, maxBytes: number): EgressError {
  return new EgressError('output_too_large', `${host} answered with more than ${maxBytes} bytes`);
}
