const KEY = 'weft-loaded-anew-at';
const PAUSE_MS = 30_000;

/** Whether the page may load itself anew now: not again and again, where a file is missing for good. */
export function mayLoadAnew(storage: Pick<Storage, 'getItem' | 'setItem'>, nowMs: number): boolean {
  const last = storage.getItem(KEY);
  if (last !== null && Math.abs(nowMs - Number(last)) < PAUSE_MS) return false;
  storage.setItem(KEY, String(nowMs));
  return true;
}
