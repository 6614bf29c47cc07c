import type { PlayNotice } from '@weft/contracts';

import type { BusSeal } from './bus-seal.js';
import type { BusRedis, ChannelSubscriber } from './channel-subscriber.js';
import { revived, textOf, type NoticeJournal } from './notice-journal.js';

export interface JournalNotice extends PlayNotice {
  /** The whole journal, with `seq` entries: it need not be read. Only of small ones, and not of all of them. */
  readonly journal?: NoticeJournal;
}

export type NoticesListener = (notices: readonly JournalNotice[]) => void;

export interface PlayNoticesOptions {
  /** Told how many notices were not sent because Redis was away. */
  readonly onDropped?: (count: number) => void;
  /** Told how many notices went out in one message. */
  readonly onPublished?: (count: number) => void;
}

/**
 * "This play now has `seq` events", one channel a company. Workers announce, gateways subscribe for the companies that
 * they have clients of. A notice is a hint: who misses one reads the play's journal (protocol §8), so announcing never
 * waits, never fails and keeps nothing while Redis is away. To a company that somebody listened to when it was last told
 * something (Redis answers with their number), small journals travel along, sealed: one that does not open is read as if it
 * had not come.
 */
export class PlayNotices {
  private pending = new Map<string, Map<string, Announced>>();
  private readonly heard = new Set<string>();
  private readonly channelPrefix: string;

  constructor(
    private readonly publisher: BusRedis,
    private readonly subscriber: ChannelSubscriber,
    prefix: string,
    private readonly seal: BusSeal,
    private readonly options: PlayNoticesOptions = {},
  ) {
    this.channelPrefix = `${prefix}:plays:`;
  }

  /**
   * Call it after the write that gave `seq` was acknowledged. All of one tick leave as one message a company.
   *
   * @param journal the play's, as it is after that write
   */
  announce(companyId: string, playId: string, seq: number, journal: NoticeJournal | null = null): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    let plays = this.pending.get(companyId);
    if (!plays) this.pending.set(companyId, (plays = new Map<string, Announced>()));
    const known = plays.get(playId);
    if (known === undefined || known.seq < seq) plays.set(playId, { seq, journal });
  }

  /** Read the followed plays after this call, and again whenever `onGap` names the company. Gives the way to end it. */
  subscribe(companyId: string, listener: NoticesListener): () => void {
    const channel = this.channelPrefix + companyId;
    return this.subscriber.subscribe(channel, (message) => {
      const notices = this.read(channel, message);
      if (notices.length > 0) listener(notices);
    });
  }

  /**
   * Called with the companies whose notices may have been missed up to now: after the first subscription of each became
   * live, and after every reconnect. Read what you follow from MongoDB then.
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
      const journal = text === null ? null : revived(text);
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
    const pipeline = this.publisher.pipeline();
    for (const [companyId, plays] of batch)
      pipeline.publish(this.channelPrefix + companyId, this.messageOf(companyId, plays));
    pipeline.exec().then(
      (results) => this.count(batch, results ?? []),
      () => this.options.onDropped?.(countNotices(batch)),
    );
  }

  /** The common case, without the weight of a pipeline. */
  private publishOne(batch: Batch, companyId: string, plays: ReadonlyMap<string, Announced>): void {
    this.publisher.publish(this.channelPrefix + companyId, this.messageOf(companyId, plays)).then(
      (listeners) => {
        this.learn(companyId, listeners);
        this.options.onPublished?.(countNotices(batch));
      },
      () => this.options.onDropped?.(countNotices(batch)),
    );
  }

  private learn(companyId: string, listeners: unknown): void {
    if (Number(listeners) > 0) this.heard.add(companyId);
    else this.heard.delete(companyId);
  }

  /** Pairs `[playId, seq]`; `[playId, seq, null, sealed]` where the journal travels along, which older versions read as a pair. */
  private messageOf(companyId: string, plays: ReadonlyMap<string, Announced>): string {
    const channel = this.channelPrefix + companyId;
    const isHeard = this.heard.has(companyId);
    const notices = [...plays].map(([playId, { seq, journal }]) => {
      const text = isHeard && journal?.log.length === seq ? textOf(journal) : null;
      return text === null ? [playId, seq] : [playId, seq, null, this.seal.seal(subjectOf(channel, playId, seq), text)];
    });
    return JSON.stringify(notices);
  }

  /** A pipeline resolves also when its commands failed; each one tells for itself. */
  private count(batch: Batch, results: readonly (readonly [Error | null, unknown])[]): void {
    let dropped = 0;
    [...batch].forEach(([companyId, plays], i) => {
      const [error, listeners] = results[i] ?? [undefined];
      if (error === null) this.learn(companyId, listeners);
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

type Batch = ReadonlyMap<string, ReadonlyMap<string, Announced>>;

function countNotices(batch: Batch): number {
  let count = 0;
  for (const plays of batch.values()) count += plays.size;
  return count;
}

interface ReadNotice extends PlayNotice {
  readonly sealed: string | null;
}

/** Whatever is no notice is left out: another program may publish on this server. */
function parseNotices(message: string): ReadNotice[] {
  const parsed = parseJson(message);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((one: unknown) => {
    if (!Array.isArray(one)) return [];
    const [playId, seq, , sealed] = one as unknown[];
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

/** A journal counts for one company, play and number of entries. */
function subjectOf(channel: string, playId: string, seq: number): string {
  return `${channel} ${playId} ${seq}`;
}
