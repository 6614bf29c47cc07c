import { writeJson } from '@weft/kernel';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_IN_BATCH, SourceFault, type Source, type SourceBatch, type SourceMessage } from '../source.js';
import {
  afterList,
  digestOf,
  NOTHING_SEEN,
  readListCursor,
  withTaken,
  writeListCursor,
  type ListCursor,
} from './list-cursor.js';

export interface ListedItem {
  /** Tells it from all other items of the list. */
  readonly id: string;
  readonly value: unknown;
  readonly at: Date | null;
}

export interface ListAnswer {
  /** In the order in which their plays are made; null: nothing has changed since the call before. */
  readonly items: readonly ListedItem[] | null;
  /** What the next call is given; null: what this one was given. */
  readonly cursor: unknown;
}

/** @throws SourceFault */
export type AskList = (cursor: unknown, signal: AbortSignal) => Promise<ListAnswer>;

export interface ListOptions {
  readonly everyMs: number;
  /** Whether what is there at the beginning is taken. */
  readonly takesAll: boolean;
  readonly cursors: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

const SHARD = 'list';
export const MOST_ITEMS = 1_000;
/** To find the end of a list that comes in pages. */
const MOST_PAGES = 100;
/** The most that `next` waits. */
const PATIENCE_MS = 5_000;

/** Opens a list that is asked for again and again; what it had before is known by the ids. @throws SourceFault */
export async function openList(ask: AskList, options: ListOptions): Promise<Source> {
  const stored = options.cursors.get(SHARD);
  if (stored !== undefined) return new ListSource(ask, options, readListCursor(stored));
  const begin = options.takesAll ? NOTHING_SEEN : await endOf(ask, options.signal);
  return new ListSource(ask, options, begin, new Map([[SHARD, writeListCursor(begin)]]));
}

/** With all that is there taken for known. */
async function endOf(ask: AskList, signal: AbortSignal): Promise<ListCursor> {
  let at = NOTHING_SEEN;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, cursor } = await ask(at.cursor, signal);
    const listed = assertFew(items ?? []).map(({ id }) => digestOf(id));
    const isEnd = listed.length === 0 || cursor === null || isDeepStrictEqual(cursor, at.cursor);
    at = afterList(at, cursor ?? at.cursor, listed);
    if (isEnd) return at;
  }
  const why = `The list goes on after ${MOST_PAGES} answers, so it is not known what is new in it.`;
  throw new SourceFault('too_many_items', `${why} Ask for what is new alone, or start at "earliest".`);
}

class ListSource implements Source {
  private readonly batches: SourceBatch[] = [];
  /** Monotone. */
  private dueMs = 0;

  constructor(
    private readonly ask: AskList,
    private readonly options: ListOptions,
    private at: ListCursor,
    readonly begins: ReadonlyMap<string, string> = new Map(),
  ) {}

  async next(signal: AbortSignal): Promise<SourceBatch | null> {
    const batch = this.batches.shift();
    if (batch) return batch;
    const waitMs = this.dueMs - performance.now();
    if (waitMs > 0) await sleep(Math.min(waitMs, PATIENCE_MS), undefined, { signal });
    if (waitMs > PATIENCE_MS) return null;
    await this.look(signal);
    return this.batches.shift() ?? null;
  }

  accepted(): Promise<void> {
    return Promise.resolve();
  }

  lag(): number {
    return this.batches.reduce((sum, { messages }) => sum + messages.length, 0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async look(signal: AbortSignal): Promise<void> {
    const { items, cursor } = await this.ask(this.at.cursor, signal);
    const before = this.at;
    const listed = assertFew(items ?? []).map((item) => [digestOf(item.id), item] as const);
    const known = new Set(before.seen);
    const fresh = listed.filter(([digest]) => !known.has(digest) && known.add(digest));
    const after =
      items === null
        ? before
        : afterList(
            before,
            cursor ?? before.cursor,
            listed.map(([digest]) => digest),
          );
    // what is new may be the first part of more
    this.dueMs = performance.now() + (fresh.length > 0 && cursor !== null ? 0 : this.options.everyMs);
    this.at = after;
    if (fresh.length === 0) {
      if (!isDeepStrictEqual(after, before))
        this.batches.push({ shard: SHARD, messages: [], next: writeListCursor(after) });
      return;
    }
    for (let from = 0; from < fresh.length; from += MOST_IN_BATCH) {
      const taken = (count: number) =>
        withTaken(
          before,
          fresh.slice(0, count).map(([digest]) => digest),
        );
      const part = fresh.slice(from, from + MOST_IN_BATCH);
      const to = from + part.length;
      const messages = part.map(([digest, item], i) => messageOf(digest, item, () => taken(from + i + 1)));
      this.batches.push({ shard: SHARD, messages, next: writeListCursor(to === fresh.length ? after : taken(to)) });
    }
  }
}

function messageOf(digest: string, { id, value, at }: ListedItem, after: () => ListCursor): SourceMessage {
  return {
    id: digest,
    // of many messages that of one at most is ever asked for
    get next() {
      return writeListCursor(after());
    },
    bytes: Buffer.from(writeJson(value).json ?? 'null'),
    contentType: 'application/json',
    headers: {},
    about: { key: id, ...(at && { timestamp: at.toISOString() }) },
    at,
  };
}

function assertFew(items: readonly ListedItem[]): readonly ListedItem[] {
  if (items.length <= MOST_ITEMS) return items;
  const most = `A list may have ${MOST_ITEMS} items, and this one has ${items.length}`;
  throw new SourceFault('too_many_items', `${most}: ask for fewer at a time, and for the rest by the cursor.`);
}
