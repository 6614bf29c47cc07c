import type { FileValue } from '@weft/contracts';
import type { EgressResponse } from '@weft/egress';
import type { LayerContext, LayerFiles } from '../../layer-module.js';
import { mediaTypeOf } from './read-body.js';
import { withProgress } from './store-body.js';

const BYTES = 'application/octet-stream';
const CONTENT_TYPE = /^[\x20-\x7e]{1,255}$/;
/** `application/…` that people read. */
const TEXTS: ReadonlySet<string> = new Set(
  ['json', 'xml', 'javascript', 'x-www-form-urlencoded', 'x-ndjson', 'yaml', 'graphql'].map(
    (subtype) => `application/${subtype}`,
  ),
);
const MAX_FILENAME = 255;

/** By its type alone: a body may be too large to be looked at first. */
export function isTextType(contentType: string | undefined): boolean {
  const type = mediaTypeOf(contentType);
  return type === '' || type.startsWith('text/') || TEXTS.has(type) || /\+(json|xml)$/.test(type);
}

/** Stores the body as it is, whatever its type says; the output refers to it. @param filename where the server names none */
export function storeFile(
  { headers, body, stream }: Pick<EgressResponse, 'headers' | 'body' | 'stream'>,
  files: LayerFiles,
  progress: LayerContext['progress'],
  filename: string | null = null,
): Promise<FileValue> {
  const contentType = headers['content-type'] ?? '';
  const label = {
    contentType: CONTENT_TYPE.test(contentType) ? contentType : BYTES,
    filename: filenameIn(headers['content-disposition']) ?? filename,
  };
  return files.store(stream ? withProgress(stream, headers, progress) : once(body), label);
}

/** RFC 6266; null when the server names none. */
export function filenameIn(disposition: string | undefined): string | null {
  if (disposition === undefined) return null;
  const exact = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(disposition);
  const name = (exact !== undefined && decoded(exact)) || (plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? '');
  return (
    name
      .replace(/\p{Cc}/gu, '')
      .slice(0, MAX_FILENAME)
      .toWellFormed() || null
  );
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  if (body.byteLength > 0) yield body;
}
