import { rarely } from '@weft/observability';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Logger } from 'pino';

const LOOK_EVERY_MS = 5_000;
/** The share of the limit from which it is reported. */
const NEARLY_ALL = 0.9;

export interface Descriptors {
  /** The most that this process may have open; null: not known on this system. */
  readonly max: number | null;
  readonly countOpen: () => Promise<number>;
}

/**
 * Warns while this process has few file descriptors left. When none is left, Node closes each new connection without a word to
 * anybody.
 *
 * @returns ends it
 */
export function watchDescriptors(log: Logger, { max, countOpen }: Descriptors = ownDescriptors()): () => void {
  if (max === null) return () => undefined;
  const warn = rarely((open, times) =>
    log.warn(
      { component: 'process', open, max, times },
      'nearly all file descriptors are in use: when none is left, new connections are closed without an answer. Raise the limit (docs/operations.md#limits-of-the-system)',
    ),
  );
  const look = async (): Promise<void> => {
    const open = await countOpen().catch((error: NodeJS.ErrnoException) => (isExhausted(error) ? max : 0));
    if (open >= max * NEARLY_ALL) warn(open);
  };
  const looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(looking);
}

function isExhausted({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EMFILE' || code === 'ENFILE';
}

/** As Linux tells it. */
function ownDescriptors(): Descriptors {
  return { max: ownLimit(), countOpen: async () => (await readdir('/proc/self/fd')).length };
}

function ownLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null; // another system
  }
}
