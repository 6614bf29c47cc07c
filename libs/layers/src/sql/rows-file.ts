/** Rows as the content of a file. */
import { writeJson } from '@weft/kernel';
import { LayerFailure } from '../layer-module.js';
import type { Row, SqlField } from './answer.js';
import { Bytes } from './bytes.js';

export const FORMATS = ['csv', 'jsonl', 'json'] as const;
export type Format = (typeof FORMATS)[number];

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
};
const MAX_FILE_BYTES = 64 * 1024 * 1024;

export function labelOf(format: Format): { readonly contentType: string; readonly filename: string } {
  return { contentType: CONTENT_TYPES[format], filename: `rows.${format}` };
}

/** @throws LayerFailure `output_too_large` */
export async function* contentOf(
  format: Format,
  batches: AsyncIterable<readonly Row[]>,
  fields: () => readonly SqlField[],
): AsyncGenerator<Buffer> {
  let rows = 0;
  let bytes = 0;
  const bounded = (text: string): Buffer => {
    const piece = Buffer.from(text);
    bytes += piece.byteLength;
    if (bytes <= MAX_FILE_BYTES) return piece;
    throw new LayerFailure(
      'output_too_large',
      `the file would have more than ${MAX_FILE_BYTES} bytes: narrow the statement`,
    );
  };
  for await (const batch of batches) {
    const before = rows;
    yield bounded(batch.map((row, at) => written(format, row, fields(), before + at)).join(''));
    rows += batch.length;
  }
  const end = format === 'json' ? (rows === 0 ? '[]' : '\n]\n') : format === 'csv' && rows === 0 ? head(fields()) : '';
  if (end !== '') yield bounded(end);
}

function written(format: Format, row: Row, fields: readonly SqlField[], at: number): string {
  if (format === 'csv') {
    const line = fields.map(({ name }) => cell(row[name])).join(',');
    return `${at === 0 ? head(fields) : ''}${line}\r\n`;
  }
  const json = writeJson(row).json ?? 'null';
  return format === 'jsonl' ? `${json}\n` : `${at === 0 ? '[\n' : ',\n'}${json}`;
}

function head(fields: readonly SqlField[]): string {
  return fields.length === 0 ? '' : `${fields.map(({ name }) => cell(name)).join(',')}\r\n`;
}

/** RFC 4180; null is an empty place, an empty text is in quotes. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = textOf(value instanceof Bytes ? value.toJSON() : value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? value.toString() : (writeJson(value).json ?? '');
}
