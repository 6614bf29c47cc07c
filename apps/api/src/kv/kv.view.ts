import type { KvEntry } from '@weft/records';
import { anything, named, object, pageOf, text, timeOrNull } from '../http/schema.js';

export interface KvView {
  readonly id: string;
  readonly key: string;
  readonly value: unknown;
  readonly expires_at: string | null;
}

export function toKvView({ key, value, expiresAt }: KvEntry): KvView {
  return { id: key, key, value, expires_at: expiresAt?.toISOString() ?? null };
}

export const kvSchema = named(
  'KvEntry',
  object<KvView>({ id: text, key: text, value: anything, expires_at: timeOrNull }),
);
export const kvPageSchema = pageOf('KvEntry', kvSchema);
