import type { Principal } from '@weft/access';
import { FairSemaphore } from '@weft/concurrency';
import type { FrameType } from '@weft/contracts';
import { Injectable } from '@nestjs/common';
import {
  ChangeLog,
  Mongo,
  PlayJournalRepository,
  SystemScope,
  TenantScope,
  type ChangeBatchDocument,
  type PlayChangeRange,
  type StoredJournal,
  type UnreadJournal,
} from '@weft/store';
import { PlayRights } from '../plays/play-rights.js';
import { cursorText, type ChangePosition } from './change-cursor.js';
import { linesOfPlay } from './change-lines.js';

const MAX_LINES = 1_000;
const MAX_BYTES = 1024 * 1024;
/** For as long it is read past what the reader does not want, or may not see. */
const MAX_MS = 1_500;
const BATCHES_PER_READ = 4;
/** A journal has some 300 KB at worst. */
const PLAYS_PER_READ = 16;
const CONCURRENT_READS = 8;
const JOURNALS = new SystemScope('journals of plays of the company that the reader was judged in');

export interface ChangePage {
  /** Each with a line break at its end. */
  readonly lines: readonly string[];
  /** Where to read on. */
  readonly position: ChangePosition;
  /** False: there is more to read at once. */
  readonly isLast: boolean;
}

interface Range extends PlayChangeRange {
  readonly index: number;
}

/** Collects lines until an answer is full. */
class Page {
  readonly lines: string[] = [];
  private bytes = 0;

  get isFull(): boolean {
    return this.lines.length >= MAX_LINES || this.bytes >= MAX_BYTES;
  }

  add(line: string): void {
    this.lines.push(line);
    this.bytes += line.length;
  }
}

/** Reads a company's change log as lines of the feed, as far as the reader may see it. */
@Injectable()
export class ChangeReader {
  private readonly log: ChangeLog;
  private readonly semaphore = new FairSemaphore(CONCURRENT_READS);

  constructor(
    mongo: Mongo,
    private readonly journals: PlayJournalRepository,
    private readonly rights: PlayRights,
  ) {
    this.log = new ChangeLog(mongo);
  }

  /** @throws the error of MongoDB */
  async read(
    caller: Principal,
    tag: string,
    from: ChangePosition,
    types: ReadonlySet<FrameType> | null,
  ): Promise<ChangePage> {
    const release = await this.semaphore.acquire(caller.companyId);
    try {
      return await this.readPage(caller, tag, from, types);
    } finally {
      release();
    }
  }

  private async readPage(
    caller: Principal,
    tag: string,
    from: ChangePosition,
    types: ReadonlySet<FrameType> | null,
  ): Promise<ChangePage> {
    const page = new Page();
    let position = from;
    const startedAt = performance.now();
    for (;;) {
      const batches = await this.log.read(new TenantScope(caller.companyId), position.n, BATCHES_PER_READ);
      for (const batch of batches) {
        const start = batch.n === position.n ? position : { n: batch.n, play: 0, entry: 0 };
        position = await this.readBatch(caller, tag, batch, start, types, page);
        if (page.isFull) return { lines: page.lines, position, isLast: false };
      }
      const isLast = batches.length < BATCHES_PER_READ;
      if (isLast || page.lines.length > 0 || performance.now() - startedAt > MAX_MS) {
        return { lines: page.lines, position, isLast };
      }
    }
  }

  /** @returns the position after the batch, or where the page was full */
  private async readBatch(
    caller: Principal,
    tag: string,
    { n, plays }: ChangeBatchDocument,
    start: ChangePosition,
    types: ReadonlySet<FrameType> | null,
    page: Page,
  ): Promise<ChangePosition> {
    const ranges = plays
      .map((range, index) => ({
        ...range,
        index,
        triggeredBy: null,
        from: index === start.play ? Math.max(range.from, start.entry) : range.from,
      }))
      .slice(start.play);
    const readable = await this.rights.permitted(caller, 'read', ranges);
    for (let i = 0; i < readable.length; i += PLAYS_PER_READ) {
      const chunk = readable.slice(i, i + PLAYS_PER_READ);
      const stored = await this.readJournals(caller.companyId, chunk, new Map());
      for (const range of chunk) {
        const end = await this.addLines(caller, range, stored.get(range.playId), types, page, (entry) =>
          cursorText(tag, { n, play: range.index, entry }),
        );
        if (end !== null) return { n, play: range.index, entry: end };
      }
    }
    return { n: n + 1, play: 0, entry: 0 };
  }

  /** @returns the last entry that the page has, when it is full; null: all of them are in it */
  private async addLines(
    caller: Principal,
    range: Range,
    first: StoredJournal | UnreadJournal | undefined,
    types: ReadonlySet<FrameType> | null,
    page: Page,
    cursorAt: (entry: number) => string,
  ): Promise<number | null> {
    let rest: PlayChangeRange = range;
    let layersFrom = 0;
    const read = async () =>
      (await this.readJournals(caller.companyId, [range], new Map([[range.playId, layersFrom]]))).get(range.playId);
    for (let play = first; play; play = await read()) {
      if ('isUnread' in play) continue;
      const { lines, missingFrom } = linesOfPlay(play, rest, layersFrom);
      for (const { entry, line } of lines) {
        rest = { ...rest, from: entry };
        if (types && !types.has(line.type)) continue;
        page.add(`${JSON.stringify({ cursor: cursorAt(entry), ...line })}\n`);
        if (page.isFull) return entry;
      }
      if (missingFrom === null) return null;
      layersFrom = missingFrom;
    }
    return null; // it was deleted
  }

  private async readJournals(
    companyId: string,
    ranges: readonly Range[],
    layersFrom: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, StoredJournal | UnreadJournal>> {
    const reads = ranges.map(({ playId }) => ({ playId, companyId, layersFrom: layersFrom.get(playId) ?? 0 }));
    return new Map((await this.journals.readJournals(JOURNALS, reads)).map((play) => [play._id, play]));
  }
}
