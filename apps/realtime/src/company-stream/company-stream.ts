import type { Principal } from '@weft/access';
import { CLOSE } from '@weft/contracts';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { GatewayContext } from '../gateway-context.js';
import { LiveReader } from '../rights/live-reader.js';
import { LiveSocket, type SocketEvents } from '../socket/live-socket.js';
import { socketCaller } from '../upgrade/socket-caller.js';
import type { UpgradeAdmission, SocketStream } from '../upgrade/socket-upgrades.js';
import { invalidQuery, readQuery, type UpgradeRequest } from '../upgrade/upgrade-request.js';
import type { CompanyFeed } from './company-feed.js';
import { CompanyReader } from './company-reader.js';
import { readCursor, type Cursor } from './cursor.js';
import { ReadableFlows } from './readable-flows.js';
import { Subscriptions } from './subscriptions.js';

interface Opening {
  readonly ws: WebSocket;
  readonly carrier: Duplex;
  /** See `LiveReaders.add`. */
  readonly since: number;
  readonly caller: Principal;
  readonly feed: CompanyFeed;
  readonly from: Cursor | null;
  readonly subscriptions: Subscriptions;
}

const PATH = '/api/ws';
/** A client with an older cursor is served better by the lists. */
const MAX_CURSOR_AGE_MS = 24 * 3_600_000;
/**
 * MongoDB's clock may go back when another member becomes primary; a cursor further ahead than this would skip changes.
 */
const MAX_CURSOR_AHEAD_MS = 60_000;

/** `/api/ws`: docs/http-api.md §6. Opens, connects and closes the sockets; the feeds decide what is sent. */
export class CompanyStream implements SocketStream {
  constructor(private readonly context: GatewayContext) {}

  answers(path: string): boolean {
    return path === PATH;
  }

  async admit(request: UpgradeRequest): Promise<UpgradeAdmission> {
    const { credentials, publicOrigin, access, connectionQuota, feeds, readers } = this.context;
    const since = readers.changes;
    const caller = await socketCaller(request, credentials, publicOrigin);
    access.requireScope(caller);
    const { cursor, kinds } = readQuery(request.query, 'cursor', 'kinds');
    const from = this.readFrom(cursor);
    const subscriptions = subscribedTo(kinds);
    const free = await connectionQuota.reserve(caller.userId);
    try {
      const feed = await feeds.companies.acquire(caller.companyId);
      const release = once(() => {
        free();
        feeds.companies.release(feed);
      });
      return { release, open: (ws, carrier) => this.open({ ws, carrier, since, caller, feed, from, subscriptions }) };
    } catch (error) {
      free();
      throw error;
    }
  }

  private readFrom(text: string | null): Cursor | null {
    if (text === null) return null;
    const cursor = readCursor(text);
    if (!cursor) throw invalidQuery('cursor', 'invalid', 'This is no cursor of this stream.');
    const now = this.context.serverNow();
    if (cursor.since > now + MAX_CURSOR_AHEAD_MS) {
      throw invalidQuery(
        'cursor',
        'out_of_range',
        'The cursor is of a time to come: no stream of this service gave it.',
      );
    }
    if (cursor.since < now - MAX_CURSOR_AGE_MS) {
      throw invalidQuery('cursor', 'too_old', 'The cursor is older than a day: connect without it and read the lists.');
    }
    return { ...cursor, since: Math.min(cursor.since, now) };
  }

  private open({ ws, carrier, since, caller, feed, from, subscriptions }: Opening): void {
    const { context } = this;
    const { access, clock } = context;
    const flows = new ReadableFlows(access, () => clock.monotonicMs());
    const events: SocketEvents = {
      onDrain: () => reader.resume(),
      onMessage: (text) => apply(text, subscriptions, socket),
      onPing: () => void live.recheck(),
      onClosed: (code) => {
        context.sockets.delete(socket, code);
        context.readers.delete(live);
        feed.delete(reader);
        reader.resume();
      },
    };
    const socket = new LiveSocket(ws, context.limits, clock, events, carrier);
    const reader: CompanyReader = new CompanyReader(feed, socket, flows, {
      ...context.feeds.catchUp,
      takesEvents: false,
      takesAcceptances: () => subscriptions.takeAcceptances,
      textOf: (frame) => (subscriptions.wants(frame) ? frame.text : null),
      caller: () => live.caller,
      seesPlay: (triggeredBy) => access.seesPlay(live.caller, triggeredBy),
      onSent: () => context.metrics.framesSent(1),
      onFault: context.onFault,
    });
    const live: LiveReader = new LiveReader(caller, {
      credentials: context.credentials,
      mayContinue: (now) => access.mayContinue(now),
      concernsFlow: () => true,
      onSuspended: () => reader.suspend(),
      onConfirmed: () => {
        flows.clear();
        reader.unsuspend();
      },
      close: (code, reason) => socket.close(code, reason),
      get isClosing() {
        return socket.isClosing;
      },
    });
    context.sockets.add(socket);
    context.readers.add(live, since);
    feed.add(reader);
    if (from) reader.startFrom(from);
  }
}

/** As if the reader had subscribed before anything was sent: a resumed stream starts at once. */
function subscribedTo(kinds: string | null): Subscriptions {
  const subscriptions = new Subscriptions();
  if (kinds === null) return subscriptions;
  const hello = JSON.stringify({ action: 'subscribe', kinds: kinds.split(',') });
  if (subscriptions.apply(hello) === 'ok') return subscriptions;
  throw invalidQuery('kinds', 'invalid', 'Give play, layer or both, separated by a comma.');
}

function apply(text: string | null, subscriptions: Subscriptions, socket: LiveSocket): void {
  const outcome = text === null ? 'bad' : subscriptions.apply(text);
  if (outcome === 'bad') socket.close(CLOSE.badMessage, 'not a message of this stream');
  if (outcome === 'many') socket.close(CLOSE.tooMany, 'too many subscriptions');
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
