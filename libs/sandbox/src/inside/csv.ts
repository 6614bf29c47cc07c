/** `$csv` and `$toCsv`: tables as RFC 4180 has them. */
import type Papa from 'papaparse';
import { TaskFailed } from './errors.js';
import { textOf } from './files.js';
import { whenNeeded } from './when-needed.js';

const library = whenNeeded<typeof Papa>('papaparse');

interface CsvOptions {
  /** Between two fields; default: the one that the text seems to use. */
  readonly delimiter?: unknown;
  /** Whether the first row names the columns; default: true. */
  readonly header?: unknown;
}

type Row = readonly unknown[];

/** Rows as objects by the names of their columns; with `header: false` as lists. Fields are texts. Empty lines are left out. */
export function fromCsv(value?: unknown, options: CsvOptions = {}): readonly unknown[] | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const { delimiter, header } = readOptions('$csv', options);
  const { data, errors } = library().parse<readonly string[]>(text, { delimiter, skipEmptyLines: true });
  const wrong = errors.find(({ type }) => type === 'Quotes');
  if (wrong)
    throw new TaskFailed(
      `$csv: row ${(wrong.row ?? 0) + 1}: a quote is not closed, or stands in the middle of a field`,
    );
  if (!header) return data;
  const [names = [], ...rows] = data;
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new TaskFailed(`$csv: two columns are named "${twice}": read them with { "header": false }`);
  return rows.map((row, i) => {
    if (row.length === names.length) return Object.fromEntries(names.map((name, at) => [name, row[at]]));
    throw new TaskFailed(`$csv: row ${i + 2} has ${row.length} fields, and the header ${names.length}`);
  });
}

/** Objects with the columns of the first one, or lists. What is not a text, number or boolean is written as JSON, null as nothing. */
export function toCsv(rows?: unknown, options: CsvOptions = {}): string | undefined {
  if (rows === undefined) return undefined;
  const { delimiter, header } = readOptions('$toCsv', options);
  const list = Array.isArray(rows) ? (rows as readonly unknown[]) : [rows];
  const names = isObject(list[0]) ? Object.keys(list[0]) : null;
  const table = list.map((row, i) => fieldsOf(row, names, i).map(fieldOf));
  return library().unparse([...(names && header ? [names] : []), ...table], {
    delimiter: delimiter || ',',
    newline: '\r\n',
  });
}

function fieldsOf(row: unknown, names: readonly string[] | null, i: number): Row {
  if (names === null && Array.isArray(row)) return row;
  if (names === null || !isObject(row))
    throw new TaskFailed(`$toCsv: row ${i + 1} must be ${names ? 'an object' : 'a list'} like the first`);
  const other = Object.keys(row).find((name) => !names.includes(name));
  if (other !== undefined)
    throw new TaskFailed(`$toCsv: row ${i + 1} has "${other}", which the first row does not have`);
  return names.map((name) => row[name]);
}

function fieldOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readOptions(
  name: string,
  { delimiter = '', header = true }: CsvOptions,
): { delimiter: string; header: boolean } {
  if (typeof delimiter !== 'string' || delimiter.length > 1 || /["\r\n]/.test(delimiter)) {
    throw new TaskFailed(`${name}: delimiter must be one character, and no quote or line break`);
  }
  if (typeof header !== 'boolean') throw new TaskFailed(`${name}: header must be true or false`);
  return { delimiter, header };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
