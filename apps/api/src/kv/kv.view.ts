import type { KvEntry } from '@weft/records';
import { anything, integer, named, object, pageOf, text, timeOrNull } from '../http/schema.js';

export interface KvView {
  readonly id: string;
  readonly key: string;
  readonly value: unknown;
  readonly version: number;
  readonly expires_at: string | null;
}

export function toKvView({ key, value, version, expiresAt }: KvEntry): KvView {
  return { id: key, key, value, version, expires_at: expiresAt?.toISOString() ?? null };
}

export const kvSchema = named(
  'KvEntry',
  object<KvView>({ id: text, key: text, value: anything, version: integer, expires_at: timeOrNull }),
);
export const kvPageSchema = pageOf('KvEntry', kvSchema);
