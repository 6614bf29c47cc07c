import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { Weft } from '../weft.js';
import type { PlayFrame } from './frames.js';

/** More than a reader may have waiting. */
const LAST = 2_500;
const FRAMES = Array.from({ length: LAST }, (_one, i): PlayFrame => {
  const common = { seq: i + 1, playId: 'p' };
  return i + 1 === LAST
    ? {
        ...common,
        type: 'play_complete',
        data: { play_id: 'p', final_status: 'DONE', duration_ms: 1, kv_summary: null },
      }
    : { ...common, type: 'layer_start', data: { layer_id: 'l', flowlet_name: 'l', ref: 'l', timestamp: '' } };
});

interface Behaviour {
  /** Sent instead of the first frame. */
  readonly garbage?: string;
  /** Frames of a connection before it is cut. */
  readonly cutAfter?: number;
  /** Answers upgrades with this status instead. */
  readonly refuses?: number;
  /** Of the events by HTTP, as many as there are by then. */
  readonly events?: () => readonly PlayFrame[];
  /** Answers reads with this problem instead. */
  readonly problem?: { readonly status: number; readonly code: string };
}

const open: (() => void)[] = [];
afterEach(() => open.splice(0).forEach((close) => close()));

/** A server with the two ways to the frames of a play. */
async function server({ cutAfter = LAST, refuses, events = () => [], problem, garbage }: Behaviour) {
  const asked: string[] = [];
  const closed: number[] = [];
  const protocols: (string | undefined)[] = [];
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'bearer' });
  const http = createServer((request, response) => {
    asked.push(`GET ${request.url}`);
    const fromSeq = Number(new URL(request.url ?? '', 'http://x').searchParams.get('fromSeq'));
    const body = problem
      ? { ...problem, detail: 'because', errors: [], retryable: false }
      : events().filter(({ seq = 0 }) => seq >= fromSeq);
    response.writeHead(problem?.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  http.on('upgrade', (request: IncomingMessage, socket, head) => {
    asked.push(`WS ${request.url}`);
    protocols.push(request.headers['sec-websocket-protocol']);
    if (refuses !== undefined) return void socket.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`);
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('close', (code) => closed.push(code));
      const fromSeq = Number(new URL(request.url ?? '', 'http://x').searchParams.get('fromSeq'));
      const due = FRAMES.slice(fromSeq - 1, fromSeq - 1 + cutAfter);
      if (garbage !== undefined) ws.send(garbage);
      due.forEach((frame) => ws.send(JSON.stringify(frame)));
      if (due.at(-1)?.type === 'play_complete' || due.length === 0) ws.close(1000);
      else ws.close(1001);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  open.push(() => {
    http.closeAllConnections();
    http.close();
  });
  const weft = new Weft({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, token: 'a.b.c' });
  return { weft, asked, protocols, closed };
}

async function all(frames: AsyncIterable<PlayFrame>): Promise<PlayFrame[]> {
  const got: PlayFrame[] = [];
  for await (const frame of frames) got.push(frame);
  return got;
}

describe('watching a play', () => {
  it('gives each frame once and in order although every connection is cut', async () => {
    const { weft, asked, protocols } = await server({ cutAfter: 1_100 });
    const cuts: string[] = [];
    expect(await all(weft.plays.watch('p', { onCut: (why) => cuts.push(why) }))).toEqual(FRAMES);
    expect(asked.filter((each) => each.startsWith('WS'))).toEqual(
      [1, 1_101, 2_201].map((seq) => `WS /ws/plays/p?fromSeq=${seq}`),
    );
    expect(cuts).toEqual(Array(2).fill('the connection was closed (1001)'));
    expect(new Set(protocols)).toEqual(new Set(['bearer, a.b.c']));
  });

  it('goes on from the number that it is given, and ends at once where nothing follows', async () => {
    const { weft } = await server({});
    expect(await all(weft.plays.watch('p', { fromSeq: LAST - 2 }))).toEqual(FRAMES.slice(LAST - 3));
    expect(await all(weft.plays.watch('p', { fromSeq: LAST + 1 }))).toEqual([]);
  });

  it('reads the frames by plain requests where no socket comes through', async () => {
    let reads = 0;
    const { weft } = await server({ refuses: 404, events: () => FRAMES.slice(0, 1_300 * (reads += 1)) });
    expect(await all(weft.plays.watch('p'))).toEqual(FRAMES);
    expect(reads).toBe(2);
  });

  it.each(['<html>', 'null', '{"type":1}', '{"type":"layer_start","data":null}', '{"type":"x","data":{},"seq":"1"}'])(
    'closes a connection on which %j comes, and goes on with plain requests',
    async (garbage) => {
      const cuts: string[] = [];
      const { weft, closed } = await server({ garbage, events: () => FRAMES });
      expect(await all(weft.plays.watch('p', { onCut: (why) => cuts.push(why) }))).toEqual(FRAMES);
      expect(cuts).toEqual(['the connection was closed (1007)']);
      await waitFor(() => closed.length > 0, { what: 'the connection to be closed' });
    },
  );

  it('throws the reason when the play may not be read', async () => {
    const { weft } = await server({ refuses: 403, problem: { status: 403, code: 'denied' } });
    await expect(all(weft.plays.watch('p'))).rejects.toMatchObject({ code: 'denied', status: 403 });
  });

  it('ends with the reason of the signal', async () => {
    const { weft } = await server({ refuses: 503 });
    const stop = new AbortController();
    const watched = all(
      weft.plays.watch('p', { signal: stop.signal, onCut: () => stop.abort(new RangeError('enough')) }),
    );
    await expect(watched).rejects.toThrow('enough');
  });

  it('disconnects a reader that is too slow, which loses nothing', async () => {
    const { weft, asked, closed } = await server({});
    const got: PlayFrame[] = [];
    for await (const frame of weft.plays.watch('p')) {
      got.push(frame);
      if (got.length === 1) await waitFor(() => closed.length > 0, { what: 'the connection to be closed' });
    }
    expect(got).toEqual(FRAMES);
    expect(asked.filter((each) => each.startsWith('WS')).length).toBeGreaterThan(1);
  });
});
