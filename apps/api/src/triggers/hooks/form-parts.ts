/** Reads a form with files (RFC 7578) that has arrived. Pure. */
import { charsetOf, isUtf8Name } from '@weft/layers';
import { WeftError } from '@weft/kernel';
import { boundaryOf, headerOf, parameterOf } from '../../http/form-headers.js';

export interface FilePart {
  readonly name: string;
  readonly filename: string | null;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

export interface FormParts {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FilePart[];
}

const MOST = { fields: 1_000, files: 20, headerBytes: 16_384, fieldBytes: 1024 * 1024, name: 255 };
const LINE = Buffer.from('\r\n');
const END_OF_HEADERS = Buffer.from('\r\n\r\n');

/** @throws WeftError `invalid_body` */
export function readFormParts(body: Buffer, contentType: string): FormParts {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw refusal('its Content-Type names no boundary');
  const mark = Buffer.from(`--${boundary}`);
  const fields: [string, string][] = [];
  const files: FilePart[] = [];
  let fieldBytes = 0;
  let empty = 0;
  let at = body.subarray(0, mark.length).equals(mark) ? 0 : body.indexOf(Buffer.concat([LINE, mark])) + LINE.length;
  if (at === LINE.length - 1) throw refusal('it does not begin with its boundary');
  for (;;) {
    at += mark.length;
    if (body.subarray(at, at + 2).toString('latin1') === '--') return { fields, files };
    const line = body.indexOf(LINE, at);
    const headersEnd = line === -1 ? -1 : body.indexOf(END_OF_HEADERS, line);
    const end = headersEnd === -1 ? -1 : body.indexOf(Buffer.concat([LINE, mark]), headersEnd + LINE.length);
    if (end === -1) throw refusal('it ends before its last boundary');
    if (headersEnd - at > MOST.headerBytes) throw refusal('a part has too many headers');
    const headers = body.subarray(line, headersEnd).toString('utf8');
    const bytes = body.subarray(Math.min(headersEnd + END_OF_HEADERS.length, end), end);
    const disposition = headerOf(headers, 'content-disposition') ?? '';
    const name = parameterOf(disposition, 'name')?.slice(0, MOST.name);
    if (name === undefined) throw refusal('a part has no name');
    const filename = parameterOf(disposition, 'filename');
    const type = headerOf(headers, 'content-type');
    if (filename === undefined) {
      fieldBytes += bytes.length;
      fields.push([name, textOf(bytes, type)]);
    } else if (filename !== '' || bytes.length > 0) {
      // a field for a file of which none was chosen is sent empty
      files.push({ name, filename: filename.slice(0, MOST.name) || null, contentType: type, bytes });
    } else empty += 1;
    if (fields.length + empty > MOST.fields) throw refusal(`it has more than ${MOST.fields} fields`);
    if (files.length > MOST.files) throw refusal(`it has more than ${MOST.files} files`);
    if (fieldBytes > MOST.fieldBytes) throw refusal('its fields have more than 1 MB together');
    at = end + LINE.length;
  }
}

function textOf(bytes: Buffer, contentType: string | undefined): string {
  const charset = charsetOf(contentType);
  if (charset === null || isUtf8Name(charset)) return bytes.toString('utf8');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

function refusal(why: string): WeftError {
  return new WeftError('invalid_body', `The form of the delivery cannot be read: ${why}.`);
}
