import type { mongo } from 'mongoose';

/** Whether a write failed, or one of a bulk, because another document has the key of a unique index. */
export function isDuplicateKey(error: unknown): error is mongo.MongoServerError {
  return (error as { readonly code?: unknown } | null)?.code === 11_000;
}

/** False when another document has a key of what was to be written. */
export async function unlessTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
