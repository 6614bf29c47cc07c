import type { EgressResponse } from '@weft/egress';
import { MAX_JSON_DEPTH } from '@weft/kernel';
import type { LayerContext, LayerStorage, Output } from '../../layer-module.js';
import { JsonScanner } from '../../stored/json-scanner.js';
import { charsetOf, isJson, isUtf8Name, mediaTypeOf } from './read-body.js';

type Chunks = AsyncIterable<Buffer>;
type Decoder = InstanceType<typeof TextDecoder>;

/**
 * Stores a body that is too large for memory while it arrives, and returns the fields of the output for it: the same
 * fields, by the same rules, as `readBody` gives for a small one. Each piece is checked as it passes.
 */
export async function storeBody(
  { headers }: Pick<EgressResponse, 'headers'>,
  stream: Chunks,
  storage: LayerStorage,
  progress: LayerContext['progress'],
): Promise<Output> {
  const contentType = headers['content-type'];
  const mediaType = mediaTypeOf(contentType);
  const charset = charsetOf(contentType);
  const decoder = charset === null || isUtf8Name(charset) ? null : decoderFor(charset);
  const received = withProgress(stream, headers, progress);
  const look = new Look(isJson(mediaType));
  const content = await storage.put(look.at(decoder ? inUtf8(received, decoder) : received));
  if (look.isText) return { body: content.read('text'), json: look.isWholeJson() ? content.read('json') : null };
  if (mediaType.startsWith('text/')) return { body: content.read('windows-1252'), json: null };
  return { body: content.read('base64'), bodyEncoding: 'base64', json: null };
}

/** Checks whether the passing bytes are text, and JSON. */
class Look {
  isText = true;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private readonly scanner: JsonScanner | null;

  constructor(isJson: boolean) {
    this.scanner = isJson ? new JsonScanner({ maxDepth: MAX_JSON_DEPTH }) : null;
  }

  async *at(chunks: Chunks): Chunks {
    for await (const chunk of chunks) {
      this.decode(chunk);
      this.scanner?.write(chunk);
      yield chunk;
    }
    this.decode();
  }

  isWholeJson(): boolean {
    return this.scanner?.end() ?? false;
  }

  private decode(chunk?: Buffer): void {
    if (!this.isText) return;
    try {
      this.decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      this.isText = false; // the error is the result: it is not text
    }
  }
}

async function* inUtf8(chunks: Chunks, decoder: Decoder): Chunks {
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

export async function* withProgress(
  chunks: Chunks,
  headers: EgressResponse['headers'],
  progress: LayerContext['progress'],
): Chunks {
  const total = bytesAnnounced(headers);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (total !== null) progress(Math.min(100, Math.floor((bytes * 100) / total)), `${bytes} of ${total} bytes`);
    yield chunk;
  }
}

/** Null when unknown: the announced length of a compressed body is not the decompressed one. */
function bytesAnnounced(headers: EgressResponse['headers']): number | null {
  const total = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && total > 0 ? total : null;
}

/** an unknown charset is treated like none */
function decoderFor(charset: string): Decoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
