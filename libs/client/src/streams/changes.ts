import type { CallOptions, Connection } from '../http/connection.js';
import { backoffMs, pause } from '../http/pause.js';
import { isWeftError, unreadable } from '../http/weft-error.js';
import type { FiltersOf, PlayState } from '../resources/schemas.js';

/** A change of a play: its frame with its place in the feed (docs/changes.md). */
export interface Change {
  /** Go on from here, once this change is processed. */
  readonly cursor: string;
  readonly playId: string;
  readonly flowId: string;
  readonly seq: number;
  readonly type: 'play_state_change' | 'layer_start' | 'layer_error' | 'layer_complete' | 'play_complete';
  /** That the play or the layer has now; null where none changed. */
  readonly state: PlayState | null;
  /** The layer; null for a change of the play itself. */
  readonly ref: string | null;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A change, or the place after all that have been read. */
type Line = Change | { readonly cursor: string };

export interface FollowOptions extends Pick<CallOptions, 'signal'> {
  /** That of the last change that was processed; `start`: the oldest one that is kept; left out: from now on. */
  readonly cursor?: string;
  readonly types?: FiltersOf<'/api/v1/changes'>['types'];
  /** Called when the changes after the cursor are not kept any more, and the stream goes on after them. Without it: `cursor_expired`. */
  readonly onGap?: (cursor: string) => void;
  /** Called when a request failed, before the next one. */
  readonly onCut?: (why: string) => void;
}

const WAIT_SECONDS = 25;
const ANSWER_MS = (WAIT_SECONDS + 30) * 1_000;
const AT_ONCE_MS = 1_000;
const PAUSE_MS = { first: 500, most: 15_000 };

/** Every change of the plays that the caller may read, once, and in order for each play. */
export class Changes {
  constructor(private readonly connection: Connection) {}

  /** The cursor of now. */
  async now(options: CallOptions = {}): Promise<string> {
    const lines = await this.read({}, options);
    return lines.at(-1)?.cursor ?? '';
  }

  /** It survives cuts, ends when the signal is aborted, and throws what trying again does not help against. */
  async *follow({ types, onGap, onCut, ...from }: FollowOptions = {}): AsyncGenerator<Change, void, undefined> {
    const signal = this.connection.signalOf(from.signal);
    let { cursor } = from;
    for (let failures = 0; ;) {
      signal?.throwIfAborted();
      const askedAt = performance.now();
      const before = cursor;
      let lines: readonly Line[];
      try {
        lines = await this.read({ cursor, types, wait: WAIT_SECONDS }, { signal, timeoutMs: ANSWER_MS });
        failures = 0;
      } catch (error) {
        const after = onGap && cursorAfter(error);
        if (after !== undefined && after !== cursor) {
          cursor = after;
          onGap?.(cursor);
          continue;
        }
        if (!isWeftError(error) || !error.isRetryable) throw error;
        onCut?.(error.message);
        await pause(backoffMs(failures, PAUSE_MS.first, PAUSE_MS.most), signal);
        failures += 1;
        continue;
      }
      for (const line of lines) {
        cursor = line.cursor;
        if ('playId' in line) yield line;
      }
      // a server with too many waiting requests answers at once
      if (cursor === before && performance.now() - askedAt < AT_ONCE_MS) await pause(AT_ONCE_MS, signal);
    }
  }

  private async read(query: FiltersOf<'/api/v1/changes'> & { cursor?: string }, options: CallOptions) {
    const text = await this.connection.call<string>(options, (api, init) =>
      api.GET('/api/v1/changes', { params: { query }, parseAs: 'text', ...init }),
    );
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => this.readLine(line));
  }

  private readLine(line: string): Line {
    try {
      const value = this.connection.parse(line) as Partial<Change> | null;
      if (typeof value?.cursor === 'string') return value as Line;
    } catch {
      // the same is said for all that is not a line of the feed
    }
    throw unreadable('A line of the answer is not a change.');
  }
}

/** The oldest place that is kept, where a problem says it. */
function cursorAfter(error: unknown): string | undefined {
  if (!isWeftError(error, 'cursor_expired')) return undefined;
  const { cursor } = error.problem as { cursor?: unknown };
  return typeof cursor === 'string' ? cursor : undefined;
}
