/** The sessions of this process with the databases of links. A session belongs to one company, one link and its state. */
import { BytesSemaphore, FairSemaphore } from '@weft/concurrency';
import type { EgressDialer } from '@weft/egress';
import { createHash } from 'node:crypto';
import type { Connection } from '../layer-module.js';
import type { SessionUse } from './database.js';
import { placeOf, type DatabasePlace } from './database-place.js';
import { openSession } from './open-session.js';
import type { Session } from './session.js';
import { whyAborted } from './sql-failure.js';

/** Of all companies. */
const MAX_SESSIONS = 200;
const IDLE_MS = 30_000;

export interface PoolAsk extends SessionUse {
  readonly companyId: string;
  readonly integrationId: string;
  readonly link: Connection;
}

interface Idle {
  readonly session: Session;
  readonly timer: NodeJS.Timeout;
}

interface Pool {
  readonly places: FairSemaphore;
  readonly idle: Idle[];
  /** Calls that use it or wait for it. */
  users: number;
}

export class SessionPools {
  private readonly pools = new Map<string, Pool>();
  /** Counts sessions: servers that answer nothing keep a company's share of them, a quarter, and not those of others. */
  private readonly room = new BytesSemaphore(MAX_SESSIONS);
  private open = 0;
  private isClosed = false;

  constructor(
    private readonly sockets: EgressDialer,
    private readonly onCount: (open: number) => void = () => undefined,
  ) {}

  /**
   * Runs `work` with a session that nobody else uses meanwhile. It waits for one within the time limit of the call.
   *
   * @throws LayerFailure
   */
  async use<T>(ask: PoolAsk, work: (session: Session) => Promise<T>): Promise<T> {
    const place = placeOf(ask.link);
    const key = keyOf(ask);
    const pool = this.pools.get(key) ?? { places: new FairSemaphore(place.pool), idle: [], users: 0 };
    this.pools.set(key, pool);
    pool.users += 1;
    const releases: (() => void)[] = [];
    try {
      releases.push(await orAborted(pool.places.acquire(ask.companyId), ask.signal, place.host));
      releases.push(await this.enterRoom(ask, place));
      const session = await this.take(pool, place, ask);
      try {
        return await work(session);
      } finally {
        // the next user waits for the reset, this one does not
        const held = releases.splice(0);
        pool.users += 1;
        void this.putBack(pool, session).finally(() => {
          for (const release of held) release();
          this.leave(key, pool);
        });
      }
    } finally {
      for (const release of releases) release();
      this.leave(key, pool);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const { idle } of this.pools.values()) for (const { session } of idle.splice(0)) session.close();
  }

  private async enterRoom({ companyId, signal }: PoolAsk, { host }: DatabasePlace): Promise<() => void> {
    try {
      const permit = await this.room.acquire(companyId, 1, signal);
      return () => permit.release();
    } catch {
      throw whyAborted(signal, host);
    }
  }

  private async take(pool: Pool, place: DatabasePlace, ask: PoolAsk): Promise<Session> {
    const { signal, playId, timeoutMs, room } = ask;
    const isReadOnly = ask.isReadOnly || place.isReadOnly;
    const use = { signal, playId, timeoutMs, isReadOnly, ...(room && { room }) };
    for (let idle = pool.idle.pop(); idle; idle = pool.idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.session.isBroken) continue;
      // a server may have ended what was idle
      if (await begins(idle.session, use)) return idle.session;
    }
    if (this.open >= MAX_SESSIONS) this.closeOldest();
    const session = await openSession(place, this.sockets, signal);
    this.count(1);
    session.onClose(() => this.count(-1));
    try {
      await session.begin(use);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  private async putBack(pool: Pool, session: Session): Promise<void> {
    if (!(await session.reset())) return;
    if (this.isClosed) return session.close();
    const idle: Idle = {
      session,
      timer: setTimeout(() => {
        pool.idle.splice(pool.idle.indexOf(idle), 1);
        session.close();
        this.forget(pool);
      }, IDLE_MS).unref(),
    };
    pool.idle.push(idle);
  }

  private leave(key: string, pool: Pool): void {
    pool.users -= 1;
    if (pool.users === 0 && pool.idle.length === 0) this.pools.delete(key);
  }

  private forget(gone: Pool): void {
    for (const [key, pool] of this.pools)
      if (pool === gone && pool.users === 0 && pool.idle.length === 0) this.pools.delete(key);
  }

  private closeOldest(): void {
    for (const pool of this.pools.values()) {
      const idle = pool.idle.shift();
      if (!idle) continue;
      clearTimeout(idle.timer);
      idle.session.close();
      return this.forget(pool);
    }
  }

  private count(change: number): void {
    this.open += change;
    this.onCount(this.open);
  }
}

async function begins(session: Session, use: SessionUse): Promise<boolean> {
  try {
    await session.begin(use);
    return true;
  } catch (error) {
    session.close();
    if (use.signal.aborted) throw error;
    return false;
  }
}

/** Two companies never share one, also with equal credentials; neither do two states of a link. */
function keyOf({ companyId, integrationId, link }: PoolAsk): string {
  const { endpoint, kind, settings, secret } = link;
  const state = createHash('sha256')
    .update(JSON.stringify([endpoint, kind, settings, secret]))
    .digest('base64');
  return JSON.stringify([companyId, integrationId, state]);
}

/** A place that comes too late is given back. */
async function orAborted(acquired: Promise<() => void>, signal: AbortSignal, host: string): Promise<() => void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(whyAborted(signal, host));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([acquired, aborted]);
  } catch (error) {
    void acquired.then((release) => release());
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
