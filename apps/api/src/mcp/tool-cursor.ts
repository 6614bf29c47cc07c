/** Where a page of tools that are flows ended: what `tools/list` gives and takes as its cursor. Pure. */
import { isId, parseJson } from '@weft/kernel';
import { z } from 'zod';

export interface ToolPlace {
  /** Of the last flow that was read. */
  readonly tool: string;
  readonly id: string;
  /** `tool` of the last one that was listed: another flow with it has a longer name. */
  readonly listed: string | null;
}

const MAX_CURSOR_CHARS = 1_000;
const placeSchema = z.tuple([z.string(), z.string().refine(isId), z.string().nullable()]);

export function toCursor({ tool, id, listed }: ToolPlace): string {
  return Buffer.from(JSON.stringify([tool, id, listed])).toString('base64url');
}

/** Null: no list has given this cursor. */
export function fromCursor(cursor: unknown): ToolPlace | null {
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARS) return null;
  const read = placeSchema.safeParse(parsed(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) return null;
  const [tool, id, listed] = read.data;
  return { tool, id, listed };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
