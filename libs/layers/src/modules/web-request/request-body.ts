/** What a web request sends, by `bodyType`. */
import { isFields, type Fields } from '@weft/kernel';
import { EgressError, type OutgoingBody, type StreamedBody } from '@weft/egress';
import { LayerFailure, type LayerFiles } from '../../layer-module.js';
import type { StoredFile } from '../../call/layer-files.js';
import type { WebRequestArgs } from './args.js';
import { multipartBody, newBoundary, type Part } from './multipart.js';

type Headers = Map<string, [name: string, value: string]>;

/** docs/operator-contract.md §1: a body that is sent. */
const MAX_BODY_BYTES = 67_108_864;
const MAX_PARTS = 1_000;

const BYTES = 'application/octet-stream';
/** A content type with its parameters, on one line. */
export const MEDIA_TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\t\x20-\x7e]{0,200})?$/;
const BLANKS = /\s+/g;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The body, and its content type where the request says none. A body in parts has the type that says where they end, whatever the
 * request says.
 *
 * @throws LayerFailure `invalid_args`
 */
export async function requestBody(
  { body, bodyType }: Pick<WebRequestArgs, 'body' | 'bodyType'>,
  headers: Headers,
  files: LayerFiles,
): Promise<OutgoingBody | null> {
  if (body === undefined || body === null) return null;
  const made = await bodyOf(body, bodyType ?? (typeof body === 'string' ? 'text' : 'json'), files);
  if (bodyType === 'multipart' || !headers.has('content-type')) {
    headers.set('content-type', ['Content-Type', made.contentType]);
  }
  const bytes = typeof made.body === 'string' ? Buffer.byteLength(made.body) : made.body.length;
  if (bytes > MAX_BODY_BYTES) throw invalid('body', `has ${bytes} bytes; ${MAX_BODY_BYTES} are allowed`);
  return made.body;
}

interface Made {
  readonly body: OutgoingBody;
  readonly contentType: string;
}

async function bodyOf(body: unknown, type: NonNullable<WebRequestArgs['bodyType']>, files: LayerFiles): Promise<Made> {
  switch (type) {
    case 'json':
      return { body: JSON.stringify(body), contentType: 'application/json' };
    case 'text':
      return { body: textOf(body, 'body'), contentType: 'text/plain; charset=utf-8' };
    case 'form':
      return { body: formOf(body), contentType: 'application/x-www-form-urlencoded' };
    case 'binary': {
      const { content, contentType } = await contentOf(isFields(body) ? body : { base64: body }, 'body', files);
      return { body: content, contentType: contentType ?? BYTES };
    }
    case 'multipart': {
      const boundary = newBoundary();
      const parts = await partsOf(body, files);
      return { body: multipartBody(parts, boundary), contentType: `multipart/form-data; boundary=${boundary}` };
    }
  }
}

function formOf(body: unknown): string {
  if (!isFields(body)) throw invalid('body', 'must be an object of fields for a form');
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one !== null && one !== undefined) form.append(name, textOf(one, `body.${name}`));
    }
  }
  return form.toString();
}

/** From `{ name: value }`, or from a list of `{ name, … }`, which keeps its order. */
export async function partsOf(body: unknown, files: LayerFiles): Promise<Part[]> {
  const given: readonly (readonly [name: string, value: unknown, where: string, type?: unknown])[] = Array.isArray(body)
    ? body.map((part: unknown, i) => {
        const where = `body.${i}`;
        if (!isFields(part) || typeof part.name !== 'string') throw invalid(where, 'must be an object with a name');
        // a value is sent without a file name, also where it has a type
        if ('value' in part) return [part.name, part.value, where, part.contentType] as const;
        return [part.name, part, where] as const;
      })
    : Object.entries(fieldsOf(body)).flatMap(([name, value]) =>
        (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => [name, one, `body.${name}`] as const),
      );
  if (given.length > MAX_PARTS) throw invalid('body', `has ${given.length} parts; ${MAX_PARTS} are allowed`);
  const parts: Part[] = [];
  for (const [name, value, where, type] of given) {
    if (value === null || value === undefined) continue;
    if (type === undefined || isFields(value)) parts.push(await partOf(name, value, where, files));
    else parts.push({ name, filename: null, contentType: typeIn(type, where), content: textOf(value, where) });
  }
  return parts;
}

async function partOf(name: string, value: unknown, where: string, files: LayerFiles): Promise<Part> {
  if (!isFields(value)) return { name, filename: null, contentType: null, content: textOf(value, where) };
  const { content, contentType, filename } = await contentOf(value, where, files);
  const given = optionalText(value.filename, `${where}.filename`);
  return { name, filename: given ?? filename ?? name, contentType: contentType ?? BYTES, content };
}

export interface Content {
  readonly content: OutgoingBody;
  readonly contentType: string | null;
  readonly filename: string | null;
  /** Of a stored file, in hex. */
  readonly sha256: string | null;
}

/** `{ $ref }`, `{ content }` or `{ base64 }`; what it says of the file counts more than what the file says of itself. */
export async function contentOf(value: Fields, where: string, files: LayerFiles): Promise<Content> {
  const contentType = typeIn(value.contentType, where);
  if (value.$ref !== undefined) {
    const file = await files.open(value, where);
    const own = MEDIA_TYPE.test(file.contentType) ? file.contentType : BYTES;
    const { filename, sha256 } = file;
    return { content: streamOf(file, where), contentType: contentType ?? own, filename, sha256 };
  }
  if (value.content !== undefined)
    return { content: textOf(value.content, `${where}.content`), contentType, filename: null, sha256: null };
  // first without blanks: a pattern that allows them in two places takes the square of their number
  const base64 = typeof value.base64 === 'string' ? value.base64.replace(BLANKS, '') : null;
  if (base64 === null || !BASE64.test(base64)) {
    throw invalid(where, 'must be a file: { $ref }, { content } with a text, or { base64 }');
  }
  return { content: Buffer.from(base64, 'base64'), contentType, filename: null, sha256: null };
}

function typeIn(given: unknown, where: string): string | null {
  const contentType = optionalText(given, `${where}.contentType`);
  if (contentType === null || MEDIA_TYPE.test(contentType)) return contentType;
  throw invalid(`${where}.contentType`, 'is not a content type');
}

function streamOf(file: StoredFile, where: string): StreamedBody {
  return {
    length: file.bytes,
    async *open() {
      try {
        yield* file.read();
      } catch (cause) {
        throw new EgressError('invalid_args', `"${where}" could not be read to its end`, { cause });
      }
    },
  };
}

function fieldsOf(body: unknown): Fields {
  if (isFields(body)) return body;
  throw invalid('body', 'must be an object of fields, or a list of parts, for multipart');
}

function textOf(value: unknown, where: string): string {
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  throw invalid(where, 'must be a text, a number, true or false');
}

function optionalText(value: unknown, where: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(where, 'must be a text');
}

function invalid(where: string, message: string): LayerFailure {
  return new LayerFailure('invalid_args', `"${where}" ${message}.`);
}
