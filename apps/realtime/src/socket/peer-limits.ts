import { WebSocket } from 'ws';

/** What a peer may send at once: a subscription for each that a socket may have. A kilobyte counts as much as a message. */
const BURST = 1_000;
const PER_SECOND = 100;

/** What nobody has asked a peer to send must cost neither memory nor the time of others. */
export function limitPeer(ws: WebSocket, monotonicMs: () => number = () => performance.now()): void {
  answerPings(ws);
  paceReading(ws, monotonicMs);
}

/**
 * Answers the latest ping only, and only when the answer before has been taken (RFC 6455 §5.5.3 lets us): pongs of a peer that
 * does not read cannot pile up. The server has to be made with `autoPong: false`.
 */
function answerPings(ws: WebSocket): void {
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

/** Who sends more than that is read more slowly: TCP tells it to wait. */
function paceReading(ws: WebSocket, monotonicMs: () => number): void {
  let left = BURST;
  let at = monotonicMs();
  const came = (bytes: number) => {
    const now = monotonicMs();
    left = Math.min(BURST, left + ((now - at) * PER_SECOND) / 1_000) - 1 - bytes / 1_024;
    at = now;
    if (left >= 0 || ws.isPaused) return;
    ws.pause();
    setTimeout(() => ws.resume(), (-left * 1_000) / PER_SECOND).unref();
  };
  ws.on('message', (data: Buffer) => came(data.byteLength));
  ws.on('ping', (data) => came(data.byteLength));
  ws.on('pong', (data) => came(data.byteLength));
}
