import type { PlayNotice } from '@weft/contracts';
import { Batch, publish, RedisNames, type Channels, type Redis } from '@weft/redis';

import type { BusSeal } from './bus-seal.js';
import { parseNoticeJournal, noticeJournalText, type NoticeJournal } from './notice-journal.js';

export interface JournalNotice extends PlayNotice {
  /**
   * The whole journal with `seq` entries, which then need not be read. Only small journals are sent, and not always.
   */
  readonly journal?: NoticeJournal;
}

export type NoticesListener = (notices: readonly JournalNotice[]) => void;

export interface PlayNoticesOptions {
  /** Called with the number of notices that were not sent because Redis was unreachable. */
  readonly onDropped?: (count: number) => void;
  /** Called with the number of notices that were sent in one message. */
  readonly onPublished?: (count: number) => void;
}

/**
 * The notice "this play now has `seq` events", on one channel for each company. Workers announce, gateways subscribe
 * for the companies of their clients. A notice is a hint: a gateway that misses one reads the play's journal later
 * (docs/protocol.md §8), so announcing never waits, never fails, and drops notices while Redis is unreachable. When a
 * company had subscribers at its last notice (Redis returns their number), small journals are sent along, sealed; a
 * journal that cannot be opened is ignored, and the gateway reads the play.
 */
export class PlayNotices {
  private pending = new Map<string, Map<string, Announced>>();
  private readonly companiesWithListeners = new Set<string>();
  private readonly channelPrefix: string;

  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Channels,
    prefix: string,
    private readonly seal: BusSeal,
    private readonly options: PlayNoticesOptions = {},
  ) {
    this.channelPrefix = new RedisNames(prefix).notices;
  }

  /**
   * Call it after the write that gave `seq` was acknowledged. All notices of one tick are sent as one message for each
   * company.
   *
   * @param journal the play's journal after that write
   */
  announce(companyId: string, playId: string, seq: number, journal: NoticeJournal | null = null): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    let plays = this.pending.get(companyId);
    if (!plays) this.pending.set(companyId, (plays = new Map<string, Announced>()));
    const known = plays.get(playId);
    if (known === undefined || known.seq < seq) plays.set(playId, { seq, journal });
  }

  /** Whether the company had subscribers at its last notice. */
  isHeard(companyId: string): boolean {
    return this.companiesWithListeners.has(companyId);
  }

  /**
   * Read the followed plays after this call, and again whenever `onGap` names the company. Returns the function that
   * unsubscribes.
   */
  subscribe(companyId: string, listener: NoticesListener): () => void {
    const channel = this.channelPrefix + companyId;
    return this.subscriber.subscribe(channel, (message) => {
      const notices = this.read(channel, message);
      if (notices.length > 0) listener(notices);
    });
  }

  /**
   * Called with the companies whose notices may have been missed up to now: after the first subscription of each has
   * become active, and after every reconnect. Then read what you follow from MongoDB.
   */
  onGap(listener: (companyIds: readonly string[]) => void): () => void {
    return this.subscriber.onGap((channels) => {
      const companies = channels
        .filter((channel) => channel.startsWith(this.channelPrefix))
        .map((channel) => channel.slice(this.channelPrefix.length));
      if (companies.length > 0) listener(companies);
    });
  }

  private read(channel: string, message: string): JournalNotice[] {
    return parseNotices(message).map(({ playId, seq, sealed }) => {
      const text = sealed === null ? null : this.seal.open(subjectOf(channel, playId, seq), sealed);
      const journal = text === null ? null : parseNoticeJournal(text);
      return journal === null ? { playId, seq } : { playId, seq, journal };
    });
  }

  private flush(): void {
    const batch = this.pending;
    this.pending = new Map();
    if (this.publisher.status !== 'ready') {
      this.options.onDropped?.(countNotices(batch));
      return;
    }
    if (batch.size === 1) {
      for (const [companyId, plays] of batch) this.publishOne(batch, companyId, plays);
      return;
    }
    const messages = new Batch(this.publisher);
    for (const [companyId, plays] of batch)
      messages.publish(this.channelPrefix + companyId, this.messageOf(companyId, plays));
    void messages.replies().then((results) => this.countPublished(batch, results));
  }

  /** The common case, without the overhead of a pipeline. */
  private publishOne(batch: PendingNotices, companyId: string, plays: ReadonlyMap<string, Announced>): void {
    publish(this.publisher, this.channelPrefix + companyId, this.messageOf(companyId, plays)).then(
      (listeners) => {
        this.recordListeners(companyId, listeners);
        this.options.onPublished?.(countNotices(batch));
      },
      () => this.options.onDropped?.(countNotices(batch)),
    );
  }

  private recordListeners(companyId: string, listeners: unknown): void {
    if (Number(listeners) > 0) this.companiesWithListeners.add(companyId);
    else this.companiesWithListeners.delete(companyId);
  }

  /** Pairs `[playId, seq]`, or `[playId, seq, sealed]` with a journal. */
  private messageOf(companyId: string, plays: ReadonlyMap<string, Announced>): string {
    const channel = this.channelPrefix + companyId;
    const isHeard = this.isHeard(companyId);
    const notices = [...plays].map(([playId, { seq, journal }]) => {
      const text = isHeard && journal?.log.length === seq ? noticeJournalText(journal) : null;
      return text === null ? [playId, seq] : [playId, seq, this.seal.seal(subjectOf(channel, playId, seq), text)];
    });
    return JSON.stringify(notices);
  }

  private countPublished(batch: PendingNotices, results: readonly (readonly [Error | null, unknown])[]): void {
    let dropped = 0;
    [...batch].forEach(([companyId, plays], i) => {
      const [error, listeners] = results[i] ?? [undefined];
      if (error === null) this.recordListeners(companyId, listeners);
      else dropped += plays.size;
    });
    const published = countNotices(batch) - dropped;
    if (published > 0) this.options.onPublished?.(published);
    if (dropped > 0) this.options.onDropped?.(dropped);
  }
}

interface Announced {
  readonly seq: number;
  readonly journal: NoticeJournal | null;
}

type PendingNotices = ReadonlyMap<string, ReadonlyMap<string, Announced>>;

function countNotices(batch: PendingNotices): number {
  let count = 0;
  for (const plays of batch.values()) count += plays.size;
  return count;
}

interface ParsedNotice extends PlayNotice {
  readonly sealed: string | null;
}

/** Anything else is ignored: another program may publish on this server. */
function parseNotices(message: string): ParsedNotice[] {
  const parsed = parseJson(message);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((one: unknown) => {
    if (!Array.isArray(one)) return [];
    const [playId, seq, sealed] = one as unknown[];
    if (typeof playId !== 'string' || !Number.isSafeInteger(seq)) return [];
    return { playId, seq: seq as number, sealed: typeof sealed === 'string' ? sealed : null };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A sealed journal is valid for one company, play and number of entries. */
function subjectOf(channel: string, playId: string, seq: number): string {
  return `${channel} ${playId} ${seq}`;
}
