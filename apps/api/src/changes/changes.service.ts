import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { FrameType } from '@weft/contracts';
import { CredentialChecker } from '@weft/identity';
import { WeftError, type Drainable } from '@weft/kernel';
import { ChangeFeedsRepository, ChangeLog, FIRST_LIVE, Mongo, TenantScope, type ChangeFeedDocument } from '@weft/store';
import { BEGINNING, cursorText, readCursor, type ChangePosition } from './change-cursor.js';
import { ChangePasses } from './change-passes.js';
import { ChangeReader } from './change-reader.js';
import type { ChangesQuery } from './changes.requests.js';

const PAUSE_MS = 250;
/** Passes take at most about this share of the time. */
const PASS_TIME_SHARE = 0.2;
/** Of one user, on this replica; a further request is answered at once. */
const MAX_WAITING = 20;
const USED_EVERY_MS = 600_000;

/** The change feed: docs/changes.md. */
@Injectable()
export class ChangesService implements Drainable {
  private readonly feeds: ChangeFeedsRepository;
  private readonly log: ChangeLog;
  private readonly waiting = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly mongo: Mongo,
    private readonly passes: ChangePasses,
    private readonly reader: ChangeReader,
    private readonly credentials: CredentialChecker,
  ) {
    this.feeds = new ChangeFeedsRepository(mongo);
    this.log = new ChangeLog(mongo);
  }

  drain(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }

  /**
   * @param isGone whether the client has closed the connection
   * @returns lines, at least one
   * @throws WeftError `invalid_query`, `cursor_expired`; 401 when the credential ends while the caller waits
   */
  async read(
    caller: Principal,
    { cursor, wait: waitSeconds = 0, types }: ChangesQuery,
    isGone: () => boolean,
  ): Promise<string> {
    const scope = new TenantScope(caller.companyId);
    const asked = cursor === undefined || cursor === 'start' ? null : readCursor(cursor);
    const feed = await this.feedOf(scope);
    if (cursor === undefined) return this.lineOf(feed, { n: await this.passes.present(scope), play: 0, entry: 0 });
    const wanted = types ? new Set<FrameType>(types) : null;
    const read = (by: Principal, from: ChangePosition) => this.reader.read(by, feed.tag, from, wanted);

    const begin = asked === null ? BEGINNING : await this.checked(scope, feed, asked);
    let page = await read(caller, begin);
    if (page.lines.length > 0 || !page.isLast) return page.lines.join('') || this.lineOf(feed, page.position);
    const leave = this.enter(caller.userId);
    try {
      const waitMs = leave ? waitSeconds * 1_000 : 0;
      const until = performance.now() + waitMs;
      for (let by = caller; ;) {
        const passMs = await this.passes.pass(scope);
        page = await read(by, page.position);
        const restMs = until - performance.now();
        if (page.lines.length > 0 || !page.isLast || restMs <= 0) break;
        if (isGone() || this.stopping.signal.aborted) break;
        const pauseMs = Math.max(PAUSE_MS, Math.min(passMs / PASS_TIME_SHARE, waitMs));
        await sleep(Math.min(restMs, pauseMs), undefined, { signal: this.stopping.signal }).catch(() => undefined);
        by = await this.credentials.recheck(by);
      }
    } finally {
      leave?.();
    }
    return page.lines.join('') || this.lineOf(feed, page.position);
  }

  private async feedOf(scope: TenantScope): Promise<ChangeFeedDocument> {
    const feed = await this.feeds.find(scope);
    if (feed && this.mongo.serverNow() - feed.usedAt.getTime() < USED_EVERY_MS) return feed;
    return this.feeds.use(scope);
  }

  /** @throws WeftError `cursor_expired` */
  private async checked(
    scope: TenantScope,
    feed: ChangeFeedDocument,
    { tag, position }: ReturnType<typeof readCursor>,
  ): Promise<ChangePosition> {
    const { first, last } = (await this.log.bounds(scope)) ?? { first: 0, last: 0 };
    const isKnown = tag === feed.tag && position.n <= Math.max(last + 1, FIRST_LIVE);
    const oldest = (await this.log.oldest(scope)) ?? first;
    // all that has come since the first walk is there: the numbers between are of no batch
    const isAfterWalk = position.n >= first && oldest === FIRST_LIVE;
    const isAtStart = position.n === BEGINNING.n;
    if (isKnown && (position.n >= oldest || isAfterWalk || isAtStart)) return position;
    throw new WeftError(
      'cursor_expired',
      isKnown
        ? 'Changes after this cursor were deleted with their plays. The new cursor is that of the oldest change that is kept.'
        : 'This cursor is not one of the company’s present feed. The new cursor is that of the oldest change that is kept.',
      { extra: { cursor: cursorText(feed.tag, { n: oldest, play: 0, entry: 0 }) } },
    );
  }

  /** Null: too many requests of this user wait already. */
  private enter(userId: string): (() => void) | null {
    const count = this.waiting.get(userId) ?? 0;
    if (count >= MAX_WAITING) return null;
    this.waiting.set(userId, count + 1);
    return () => {
      const left = (this.waiting.get(userId) ?? 1) - 1;
      if (left > 0) this.waiting.set(userId, left);
      else this.waiting.delete(userId);
    };
  }

  private lineOf(feed: ChangeFeedDocument, position: ChangePosition): string {
    return `${JSON.stringify({ cursor: cursorText(feed.tag, position) })}\n`;
  }
}
