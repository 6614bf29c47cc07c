/** Bodies of type multipart/form-data (RFC 7578), with names as browsers write them. */
import { randomBytes } from 'node:crypto';
import type { OutgoingBody, StreamedBody } from '@weft/egress';

export interface Part {
  readonly name: string;
  /** Set for a file. */
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly content: OutgoingBody;
}

const END = Buffer.from('\r\n');

/** Nobody who wrote a part can know the boundary. */
export function newBoundary(): string {
  return `weft-${randomBytes(16).toString('hex')}`;
}

export function multipartBody(parts: readonly Part[], boundary: string): StreamedBody {
  const pieces = parts.flatMap((part) => [headOf(part, boundary), inBytes(part.content), END]);
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { length: pieces.reduce((sum, piece) => sum + piece.length, 0), open: () => inOrder(pieces) };
}

async function* inOrder(pieces: readonly (Uint8Array | StreamedBody)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* piece.open();
  }
}

function headOf({ name, filename, contentType }: Part, boundary: string): Buffer {
  const file = filename === null ? '' : `; filename="${quoted(filename)}"`;
  const type = contentType === null ? '' : `Content-Type: ${contentType}\r\n`;
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${type}\r\n`);
}

/** As the HTML standard says: what would end the name, or the line, is escaped. */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function inBytes(content: OutgoingBody): Uint8Array | StreamedBody {
  return typeof content === 'string' ? Buffer.from(content) : content;
}
