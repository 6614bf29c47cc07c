// Follows one play, or all plays that you may read, over broken connections: no event is missed or repeated.
//
//   WEFT_TOKEN=<token> node watch.ts http://127.0.0.1:3000 <play id>
//   WEFT_TOKEN=<token> node watch.ts http://127.0.0.1:3000
//
// In a checkout of Weft `npm run watch` runs it, and signs in by itself. Elsewhere it needs Node from 22.18 on and
// `npm install ws`. In a browser, use its own WebSocket: the browser sends the session's cookie by itself; pass a
// token as `new WebSocket(url, ['bearer', token])`. Never put a token into the address: addresses end up in logs.
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { WebSocket } from 'ws';

export interface Where {
  readonly base: string;
  /** An API key. */
  readonly token?: string;
  /** Headers of the handshake: without a key, the cookie of a session. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called with the reason when a connection breaks, before the next attempt. */
  readonly onBreak?: (why: string) => void;
}

/** A frame of one play: docs/reference/events.md. */
export interface PlayFrame {
  readonly seq?: number;
  readonly type: string;
  readonly playId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A change of state of a layer, or, with `ref: null`, of its play. */
export interface Change {
  readonly cursor: string;
  readonly playId: string;
  readonly flowId: string;
  readonly ref: string | null;
  readonly state: string;
  readonly out: unknown;
  readonly seq: number;
  readonly timestamp: string;
  /** With `ref: null`: the state before, and the row of the play as `GET /plays` lists it. */
  readonly oldState?: string | null;
  readonly play?: Readonly<Record<string, unknown>>;
}

/** Close codes after which reconnecting does not help; docs/reference/events.md lists all codes. */
const STAY_AWAY = new Map([
  [1009, 'a message was too large'],
  [4400, 'the server did not understand a message'],
  [4401, 'the session or key has ended'],
  [4403, 'you may not read this any more'],
  [4404, 'the play was deleted'],
  [4429, 'too many subscriptions'],
]);
const FINAL = ['DONE', 'FAIL', 'SKIP', 'FILTERED'];
const PAUSE_MS = { first: 200, most: 10_000 };

/** All frames of one play from number `fromSeq` on, each once and in order; ends after `play_complete`. */
export async function* followPlay(play: Where & { playId: string; fromSeq?: number }): AsyncGenerator<PlayFrame> {
  const { base, playId, fromSeq = 1 } = play;
  let next = fromSeq;
  const address = () => `${base}/ws/plays/${encodeURIComponent(playId)}?fromSeq=${next}`;
  for await (const frame of frames<PlayFrame>(play, address)) {
    if (frame.seq === undefined) {
      yield frame; // layer_progress, layer_delta: they have no number and are never repeated
    } else if (frame.seq === next) {
      next += 1;
      yield frame;
      if (frame.type === 'play_complete') return;
    }
  }
}

/**
 * Every state change of all plays, or of those that `select` names ({ playIds, flowIds, refs, states, kinds }). Store the
 * `cursor` of the last frame that you have processed, and pass it here to continue after it, later or in another process.
 */
export async function* followAll(all: Where & { cursor?: string; select?: object }): AsyncGenerator<Change> {
  const { base, select } = all;
  let { cursor } = all;
  const seqs = new Map<string, number>();
  const address = () => `${base}/api/ws${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
  const hello = select === undefined ? undefined : JSON.stringify({ action: 'subscribe', ...select });
  for await (const frame of frames<Change>(all, address, hello)) {
    cursor = frame.cursor;
    if (frame.seq <= (seqs.get(frame.playId) ?? -1)) continue; // already received before the break
    seqs.set(frame.playId, frame.seq);
    yield frame;
    if (frame.ref === null && FINAL.includes(frame.state)) seqs.delete(frame.playId);
  }
}

/** The frames of one connection after another. Calls `address` for each, which says where to continue. */
async function* frames<Frame>(where: Where, address: () => string, hello?: string): AsyncGenerator<Frame> {
  for (const trip = { failures: 0, isOver: false }; ; trip.failures += 1) {
    yield* oneConnection<Frame>(address(), where, trip, hello);
    if (trip.isOver) return;
    // A random delay, so that a thousand clients that lost the same server do not all reconnect at the same moment.
    const longest = Math.min(PAUSE_MS.most, PAUSE_MS.first * 2 ** trip.failures);
    await pause(longest * (0.5 + Math.random() / 2), undefined, { signal: where.signal });
  }
}

interface Trip {
  failures: number;
  isOver: boolean;
}

/** Ends when the connection ends; throws if reconnecting does not help. */
async function* oneConnection<Frame>(
  url: string,
  { token, headers, signal, onBreak }: Where,
  trip: Trip,
  hello?: string,
): AsyncGenerator<Frame> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), token === undefined ? [] : ['bearer', token], { headers });
  const waiting: Frame[] = [];
  let wake = () => {};
  let ended = false;
  let refused: string | undefined;
  const end = (why?: string) => {
    ended = true;
    refused ??= why;
    wake();
  };
  socket.on('open', () => {
    if (hello !== undefined) socket.send(hello);
  });
  socket.on('message', (data: Buffer) => {
    trip.failures = 0;
    waiting.push(JSON.parse(data.toString()) as Frame);
    if (waiting.length > 1_000) socket.pause(); // the server waits, and closes the connection after a while: we reconnect
    wake();
  });
  socket.on('unexpected-response', (request, response) => {
    const { statusCode = 0 } = response;
    void refusalOf(response).then((why) => {
      // 429 and 5xx are temporary, the others are not
      if (statusCode === 429 || statusCode >= 500) onBreak?.(why);
      end(statusCode === 429 || statusCode >= 500 ? undefined : why);
      request.destroy();
    });
  });
  socket.on('close', (code) => {
    trip.isOver = code === 1000; // everything was sent
    if (!trip.isOver && !ended) onBreak?.(`the connection was closed (${code})`);
    end(STAY_AWAY.get(code));
  });
  socket.on('error', (error) => {
    if (!ended) onBreak?.(error.message || String((error as { code?: unknown }).code)); // no server, or a broken connection
    end();
  });
  const stop = () => socket.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      for (const frame of waiting.splice(0)) yield frame;
      socket.resume();
      signal?.throwIfAborted();
      if (waiting.length > 0) continue;
      if (refused !== undefined) throw new Error(refused);
      if (ended) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    socket.terminate();
  }
}

/** The server's explanation of an error: the `detail` of its problem. */
async function refusalOf(response: IncomingMessage): Promise<string> {
  const status = response.statusCode ?? 0;
  let text = '';
  try {
    for await (const part of response) text += String(part);
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return `${detail} (${status})`;
  } catch {
    // not a problem, or only a part of one: a proxy answered
  }
  return `the server answered ${status}`;
}

const USAGE = 'usage: WEFT_TOKEN=<API key> node watch.ts <http address of Weft> [<play id>]';

async function main([base = '', playId, ...more]: readonly string[], token: string | undefined): Promise<number> {
  if (!/^https?:\/\/\S+$/.test(base) || more.length > 0 || !token) {
    console.error(USAGE);
    return 2;
  }
  const where = { base, token, onBreak: (why: string) => console.error(`${why}; trying again …`) };
  try {
    for await (const frame of playId === undefined ? followAll(where) : followPlay({ ...where, playId })) {
      console.log(JSON.stringify(frame));
    }
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.slice(2), process.env.WEFT_TOKEN);
}
