/** Undo and redo: what was, what is, and what was taken back. Pure. */
export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
  /** What the last change was made to, and when: typing on in one field is one step. */
  readonly last: { readonly tag: string; readonly atMs: number } | null;
}

const MAX_STEPS = 200;
/** A pause in typing begins another step. */
const PAUSE_MS = 1_500;

export function begin<T>(now: T): History<T> {
  return { past: [], now, future: [], last: null };
}

/** @param tag of the field that is typed in; without one the change is a step of its own */
export function changed<T>(history: History<T>, next: T, atMs: number, tag?: string): History<T> {
  const { past, now, last } = history;
  if (next === now) return history;
  const goesOn = tag !== undefined && last?.tag === tag && atMs - last.atMs < PAUSE_MS;
  return {
    past: goesOn ? past : [...past, now].slice(-MAX_STEPS),
    now: next,
    future: [],
    last: tag === undefined ? null : { tag, atMs },
  };
}

export function undone<T>({ past, now, future }: History<T>): History<T> | null {
  const before = past.at(-1);
  return before === undefined ? null : { past: past.slice(0, -1), now: before, future: [now, ...future], last: null };
}

export function redone<T>({ past, now, future }: History<T>): History<T> | null {
  const [next, ...rest] = future;
  return next === undefined ? null : { past: [...past, now], now: next, future: rest, last: null };
}
