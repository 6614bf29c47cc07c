import { stringify } from 'csv-stringify/sync';
import { Readable } from 'node:stream';
import { AUDIT_FIELDS, type AuditEntryView } from './audit-entry.view.js';
import type { ExportFormat } from './audit.requests.js';

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** The entries one after the other, read on demand. */
export type Batches = AsyncIterable<readonly AuditEntryView[]>;

const WRITERS: Readonly<Record<ExportFormat, (batches: Batches) => AsyncGenerator<string>>> = {
  csv: csvChunks,
  json: jsonChunks,
  ndjson: lineChunks,
};

/**
 * The file's bytes, in batches and as fast as the client reads them. An error in the middle breaks the stream, so that no
 * client mistakes a part for the whole file.
 */
export function writeEntries(format: ExportFormat, batches: Batches): Readable {
  return Readable.from(WRITERS[format](batches), { objectMode: false });
}

/** RFC 4180: CRLF, quotes doubled. Values that are neither text nor number are written as JSON; every cell is made safe for spreadsheets. */
async function* csvChunks(batches: Batches): AsyncGenerator<string> {
  const options = {
    columns: [...AUDIT_FIELDS],
    record_delimiter: 'windows',
    cast: { string: withoutFormula, object: (value: object) => withoutFormula(JSON.stringify(value)) },
  };
  yield stringify([], { ...options, header: true });
  for await (const batch of batches) yield stringify([...batch], options);
}

/**
 * Spreadsheets read a cell as a formula by its first character, also after white space and invisible characters, and in its
 * full-width form; a leading apostrophe makes it text (OWASP, CSV injection). Where a machine's list separator is not the
 * comma, a cell also begins after each separator and after each end of a line.
 */
export function withoutFormula(text: string): string {
  const beginsOddly = CONTROL_FIRST.test(text);
  if (!beginsOddly && !BEGINS_FORMULA.test(text)) return text;
  const characters = [...text];
  const written: string[] = [];
  let leadsToFormula = false;
  // from the end, so that each character is looked at once, however many separators are in a row
  for (let at = characters.length - 1; at >= 0; at -= 1) {
    const character = characters[at] as string;
    const isInLineEnd = character === '\r' && characters[at + 1] === '\n';
    if (leadsToFormula && SEPARATOR.test(character) && !isInLineEnd) written.push(AS_TEXT);
    written.push(character);
    leadsToFormula = BEGINS_FORMULA.test(character) || (leadsToFormula && UNSEEN.test(character));
  }
  if (leadsToFormula || beginsOddly) written.push(AS_TEXT);
  return written.reverse().join('');
}

const AS_TEXT = "'";
const BEGINS_FORMULA = /[=+\-@＝＋－＠]/u;
const SEPARATOR = /[;\t\r\n|]/u;
const UNSEEN = /[\s\p{C}]/u;
const CONTROL_FIRST = /^[\t\r\n\0]/u;

async function* jsonChunks(batches: Batches): AsyncGenerator<string> {
  let before = '[';
  for await (const batch of batches) {
    if (batch.length > 0) yield before + batch.map((entry) => JSON.stringify(entry)).join(',\n');
    if (batch.length > 0) before = ',\n';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

async function* lineChunks(batches: Batches): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
