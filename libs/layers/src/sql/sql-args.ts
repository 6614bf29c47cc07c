/** What `sql` and `sql-transaction` have in common. */
import { z } from 'zod';
import { MAX_NAMED_VALUES } from './limits.js';
import type { LayerFiles, Output } from '../layer-module.js';
import type { Row } from './answer.js';
import { Bytes } from './bytes.js';
import type { Rows } from './session.js';
import { faultOfStatement } from './statement.js';

export const MAX_ROWS = 10_000;
export const ROWS_BYTES = 16 * 1024 * 1024;
/** Longer bytes become a file. */
const INLINE_BYTES = 256 * 1024;
export const TIMEOUT_MS = 120_000;

export const integrationId = z
  .string()
  .min(1)
  .max(100)
  .describe('Link to the database: endpoint postgres://host:5432/database or mysql://host:3306/database, kind basic.');
export const statement = z
  .string()
  .min(1)
  .max(65_536)
  .superRefine((text, context) => {
    const fault = faultOfStatement(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .describe('One statement of SQL, used as written: a value has its place as :name, and never is a part of the text.');
export const params = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()).max(MAX_NAMED_VALUES)]);
export const timeoutMs = z
  .int()
  .min(1)
  .max(86_400_000)
  .optional()
  .describe('How long one statement may take, in milliseconds; left out, as long as the layer.');
export const repeatable = z
  .boolean()
  .default(false)
  .describe(
    'Whether the layer may run again when a crash interrupted it, because that changes nothing: an upsert, for example.',
  );

export const rowsShape = z.array(z.record(z.string(), z.unknown()));
export const insertIdShape = z
  .string()
  .nullable()
  .describe('The number that MySQL gave the first new row; null: none. PostgreSQL and MariaDB give it by RETURNING.');
export const fieldsShape = z.array(z.strictObject({ name: z.string(), type: z.string() }));

/** How long one statement may take: never longer than the layer. */
export function limitMsOf(
  given: { readonly timeoutMs?: number | undefined },
  layer: { readonly timeoutMs: number },
): number {
  return Math.min(given.timeoutMs ?? layer.timeoutMs, layer.timeoutMs);
}

/** What a statement gave, with long bytes as files. */
export async function outOf({ rows, rowCount, fields, insertId }: Rows, files: LayerFiles): Promise<Output> {
  const given: Row[] = [];
  for (const row of rows) given.push(await withoutBytes(row, files));
  return { rows: given, rowCount, fields: [...fields], insertId };
}

async function withoutBytes(row: Row, files: LayerFiles): Promise<Row> {
  if (!Object.values(row).some((value) => value instanceof Bytes || Array.isArray(value))) return row;
  const entries = Object.entries(row).map(async ([name, value]) => [name, await shown(value, name, files)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function shown(value: unknown, name: string, files: LayerFiles): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one: unknown) => shown(one, name, files)));
  if (!(value instanceof Bytes)) return value;
  const { content } = value;
  if (content.byteLength <= INLINE_BYTES) return value.toJSON();
  const filename = name.replace(/\p{Cc}/gu, '').slice(0, 255) || null;
  return files.store(pieces(content), { contentType: 'application/octet-stream', filename });
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
