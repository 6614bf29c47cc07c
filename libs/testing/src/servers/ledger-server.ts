import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** One call that arrived: recorded before it is answered, so that a call whose answer is lost is in the ledger, too. */
export interface LedgerCall {
  readonly method: string;
  /** Including its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly idempotencyKey: string | null;
  readonly body: string;
  readonly at: Date;
}

export interface LedgerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything but a string is sent as JSON. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /** Cuts the connection instead of answering. */
  readonly hangUp?: boolean;
}

export interface LedgerServer {
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly calls: readonly LedgerCall[];
  /** Calls whose path, without query, is this one. */
  callsTo(path: string): readonly LedgerCall[];
  /** Idempotency-Key → how often it arrived. A layer that ran once shows 1. */
  countByKey(): ReadonlyMap<string, number>;
  /** Sets the answer from now on. Default: 200 with `{ path, n }`, n counting all calls from 1. */
  answerWith(answer: (call: LedgerCall) => LedgerAnswer | Promise<LedgerAnswer>): void;
  close(): Promise<void>;
}

/** The outside world of a test: an HTTP server on the loopback address that counts its requests, the oracle for executions. */
export async function ledgerServer(port = 0): Promise<LedgerServer> {
  const calls: LedgerCall[] = [];
  let answer = (call: LedgerCall): LedgerAnswer | Promise<LedgerAnswer> => ({
    body: { path: call.path, n: calls.length },
  });
  const server = createServer((request, response) => {
    record(request)
      .then(async (call) => {
        calls.push(call);
        await respond(response, await answer(call));
      })
      .catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    calls,
    callsTo: (path) => calls.filter((call) => call.path.split('?')[0] === path),
    countByKey: () => {
      const counts = new Map<string, number>();
      for (const { idempotencyKey } of calls) {
        if (idempotencyKey !== null) counts.set(idempotencyKey, (counts.get(idempotencyKey) ?? 0) + 1);
      }
      return counts;
    },
    answerWith: (next) => {
      answer = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function record(request: IncomingMessage): Promise<LedgerCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const key = request.headers['idempotency-key'];
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    idempotencyKey: typeof key === 'string' ? key : null,
    body: Buffer.concat(chunks).toString(),
    at: new Date(),
  };
}

async function respond(
  response: ServerResponse,
  { status = 200, headers, body, delayMs, hangUp }: LedgerAnswer,
): Promise<void> {
  if (delayMs !== undefined) await pause(delayMs);
  if (hangUp === true) {
    response.destroy();
    return;
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text);
}
