/** What a tool answers, as an output: bytes become files. */
import { LayerFailure, type LayerContext } from '../../layer-module.js';

/** Of one answer. */
const MOST_PARTS = 1_000;
const MOST_FILES = 100;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/;
const MAX_FILENAME = 255;

interface Resource {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
  readonly blob?: string;
}

/** Parts as the protocol has them, of every revision. */
export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string | undefined;
  readonly uri?: string;
  readonly name?: string;
  readonly resource?: Resource;
}

/** @throws LayerFailure `output_too_large` */
export async function contentsOf(parts: readonly Part[], files: LayerContext['files']): Promise<object[]> {
  const withBytes = parts.filter(({ data, resource }) => data !== undefined || resource);
  if (parts.length > MOST_PARTS || withBytes.length > MOST_FILES) {
    throw new LayerFailure(
      'output_too_large',
      `The tool answered with ${parts.length} parts, ${withBytes.length} of them files; ${MOST_PARTS} and ${MOST_FILES} are allowed.`,
    );
  }
  const contents = [];
  for (const { type, text, data, mimeType, uri, name, resource } of parts) {
    if (resource) {
      const bytes = resource.blob === undefined ? Buffer.from(resource.text ?? '') : fromBase64(resource.blob);
      const fallback = resource.blob === undefined ? 'text/plain; charset=utf-8' : undefined;
      const file = await stored(bytes, resource.mimeType ?? fallback, nameIn(resource.uri), files);
      contents.push({ type, file, uri: resource.uri });
    } else if (data !== undefined) {
      contents.push({ type, file: await stored(fromBase64(data), mimeType, null, files) });
    } else {
      const said = { text, uri, name };
      contents.push({ type, ...Object.fromEntries(Object.entries(said).filter(([, each]) => each !== undefined)) });
    }
  }
  return contents;
}

function stored(
  bytes: Buffer,
  type: string | undefined,
  filename: string | null,
  files: LayerContext['files'],
): Promise<object> {
  const contentType =
    type !== undefined && type.length < 255 && MEDIA_TYPE.test(type) ? type : 'application/octet-stream';
  return files.store(once(bytes), { contentType, filename });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.byteLength > 0) yield bytes;
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

/** The end of its path. */
function nameIn(uri: string): string | null {
  const last = (URL.parse(uri)?.pathname ?? '').split('/').at(-1) ?? '';
  return (
    last
      .replace(/\p{Cc}/gu, '')
      .slice(0, MAX_FILENAME)
      .toWellFormed() || null
  );
}
