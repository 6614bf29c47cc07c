import { WebSocket } from 'ws';

/**
 * What a peer may send at once: one subscription for each that a socket may have. A kilobyte counts as much as a
 * message.
 */
const BURST_MESSAGES = 1_000;
const MESSAGES_PER_SECOND = 100;

/** Unsolicited messages of a peer must cost neither memory nor the time of other readers. */
export function limitPeer(ws: WebSocket, monotonicMs: () => number = () => performance.now()): void {
  answerLatestPing(ws);
  limitReadRate(ws, monotonicMs);
}

/**
 * Answers the latest ping only, and only after the previous pong was sent (RFC 6455 §5.5.3 allows that): pongs for a
 * peer that does not read cannot pile up. The server must be created with `autoPong: false`.
 */
function answerLatestPing(ws: WebSocket): void {
  let latest: Buffer | null = null;
  let underWay = false;
  const answer = () => {
    if (underWay || latest === null || ws.readyState !== WebSocket.OPEN) return;
    const data = latest;
    latest = null;
    underWay = true;
    ws.pong(data, false, () => {
      underWay = false;
      answer();
    });
  };
  ws.on('ping', (data) => {
    latest = data;
    answer();
  });
}

/** A peer that sends more than that is read more slowly: TCP makes it wait. */
function limitReadRate(ws: WebSocket, monotonicMs: () => number): void {
  let left = BURST_MESSAGES;
  let at = monotonicMs();
  const came = (bytes: number) => {
    const now = monotonicMs();
    left = Math.min(BURST_MESSAGES, left + ((now - at) * MESSAGES_PER_SECOND) / 1_000) - 1 - bytes / 1_024;
    at = now;
    if (left >= 0 || ws.isPaused) return;
    ws.pause();
    setTimeout(() => ws.resume(), (-left * 1_000) / MESSAGES_PER_SECOND).unref();
  };
  ws.on('message', (data: Buffer) => came(data.byteLength));
  ws.on('ping', (data) => came(data.byteLength));
  ws.on('pong', (data) => came(data.byteLength));
}
