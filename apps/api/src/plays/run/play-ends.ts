import type { EndedPlay } from '@weft/store';
import type { PlayNotices } from '@weft/realtime-bus';

export interface PlayEndsOptions {
  /** Of these plays, those that are final. */
  readonly endedAmong: (ids: readonly string[]) => Promise<readonly EndedPlay[]>;
  readonly notices: Pick<PlayNotices, 'subscribe' | 'onGap'>;
  /** Calls of this process that may wait at once. */
  readonly maxWaiting: number;
  /** … and of one company. */
  readonly maxOfCompany: number;
  /** All awaited plays are read this often, whatever notices arrive: so long does a lost notice or an outage of Redis delay an answer. */
  readonly lookEveryMs: number;
}

export interface AwaitedPlay {
  readonly companyId: string;
  readonly playId: string;
  /** The play was just accepted, so it need not be read at once. */
  readonly fresh: boolean;
}

interface Waiter {
  readonly end: (play: EndedPlay | null) => void;
}

interface Company {
  waiting: number;
  readonly unsubscribe: () => void;
}

/** Ids of one query at most. */
const PAGE = 500;

/**
 * Waits for the ends of plays. Notices of the company say when to read; MongoDB is read for all plays that may have ended
 * with one query, and one query at a time.
 */
export class PlayEnds {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly companies = new Map<string, Company>();
  private readonly companyOf = new Map<string, string>();
  private due = new Set<string>();
  private looking = false;
  private waiting = 0;
  private closed = false;
  private timer?: NodeJS.Timeout;
  private readonly stopHearingGaps: () => void;

  constructor(private readonly options: PlayEndsOptions) {
    this.stopHearingGaps = options.notices.onGap((companies) => {
      for (const [playId, companyId] of this.companyOf) if (companies.includes(companyId)) this.readSoon(playId);
    });
  }

  /**
   * The play's end; null when the time is up, the caller is gone, or this process has too many that wait or stops.
   *
   * @param gone aborted when the client disconnected
   */
  wait({ companyId, playId, fresh }: AwaitedPlay, withinMs: number, gone: AbortSignal): Promise<EndedPlay | null> {
    if (this.closed || gone.aborted || !this.addWaiter(companyId)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.end(null), withinMs);
      const removeWaiter = () => waiter.end(null);
      const waiter: Waiter = {
        end: (play) => {
          clearTimeout(timer);
          gone.removeEventListener('abort', removeWaiter);
          this.leave(companyId, playId, waiter);
          resolve(play);
        },
      };
      gone.addEventListener('abort', removeWaiter);
      const others = this.waiters.get(playId);
      if (others) others.add(waiter);
      else this.waiters.set(playId, new Set([waiter]));
      this.companyOf.set(playId, companyId);
      if (!fresh) this.readSoon(playId);
      this.timer ??= setInterval(() => this.readAll(), this.options.lookEveryMs);
    });
  }

  /** Answers every waiting caller now, because the process stops. */
  close(): void {
    this.closed = true;
    for (const waiters of [...this.waiters.values()]) for (const waiter of [...waiters]) waiter.end(null);
    this.readAll();
    this.stopHearingGaps();
  }

  private addWaiter(companyId: string): boolean {
    const { maxWaiting, maxOfCompany, notices } = this.options;
    const company = this.companies.get(companyId);
    if (this.waiting >= maxWaiting || (company?.waiting ?? 0) >= maxOfCompany) return false;
    this.waiting += 1;
    if (company) {
      company.waiting += 1;
      return true;
    }
    const unsubscribe = notices.subscribe(companyId, (heard) => {
      for (const { playId } of heard) if (this.waiters.has(playId)) this.readSoon(playId);
    });
    this.companies.set(companyId, { waiting: 1, unsubscribe });
    return true;
  }

  private leave(companyId: string, playId: string, waiter: Waiter): void {
    const waiters = this.waiters.get(playId);
    if (!waiters?.delete(waiter)) return;
    this.waiting -= 1;
    const company = this.companies.get(companyId);
    if (company) company.waiting -= 1;
    if (waiters.size > 0) return;
    this.waiters.delete(playId);
    this.companyOf.delete(playId);
  }

  /** Also unsubscribes from companies without waiting callers since the last pass: callers often return at once. */
  private readAll(): void {
    for (const playId of this.waiters.keys()) this.readSoon(playId);
    for (const [companyId, company] of this.companies) {
      if (company.waiting > 0) continue;
      company.unsubscribe();
      this.companies.delete(companyId);
    }
    if (this.companies.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private readSoon(playId: string): void {
    this.due.add(playId);
    if (this.looking) return;
    this.looking = true;
    setImmediate(() => void this.look());
  }

  private async look(): Promise<void> {
    try {
      while (this.due.size > 0) {
        const ids = [...this.due].filter((id) => this.waiters.has(id));
        this.due = new Set(ids.slice(PAGE));
        if (ids.length === 0) break;
        for (const play of await this.options.endedAmong(ids.slice(0, PAGE))) {
          for (const waiter of [...(this.waiters.get(play._id) ?? [])]) waiter.end(play);
        }
      }
    } catch {
      this.due.clear(); // MongoDB is unreachable: the next pass reads all of them again
    } finally {
      this.looking = false;
    }
  }
}
