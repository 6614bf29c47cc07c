import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';

/** Works like a Kubernetes service: sends requests in turn to processes whose last readiness probe was answered 200. No retries. */
export interface Balancer {
  readonly url: string;
  /** Requests and sockets that got no answer, each as a sentence. */
  readonly faults: readonly string[];
  add(port: number): void;
  /** Resolves when it sends no more requests to that process, whatever that still answers. */
  left(port: number): Promise<void>;
}

interface Backend {
  readonly port: number;
  ready: boolean;
  readonly left: PromiseWithResolvers<void>;
}

/** @param probeMs between two probes of each; one that says no takes it out at once, one that says yes puts it in */
export async function balancer(ports: readonly number[], probeMs = 200): Promise<Balancer> {
  const backends: Backend[] = [];
  const faults: string[] = [];
  const ways = new Agent({ keepAlive: true });
  const open = new Set<Duplex>();
  const stopped = new AbortController();
  let turn = 0;
  const next = (): Backend | undefined => {
    const ready = backends.filter((backend) => backend.ready);
    turn += 1;
    return ready[turn % ready.length];
  };
  const forward = (client: IncomingMessage, answer: ServerResponse): void => {
    const { method, url, headers } = client;
    const fail = (why: string): void => {
      faults.push(`${method} ${url}: ${why}`);
      if (!answer.headersSent) answer.writeHead(502).end();
    };
    const port = next()?.port;
    if (port === undefined) return fail('nobody is ready');
    const peer = request({ host: '127.0.0.1', port, method, path: url, headers: forwarded(headers), agent: ways });
    peer.on('error', (error) => fail(`${error.message} at ${port}`));
    peer.on('response', (given) => {
      buffer(given).then(
        (body) => answer.writeHead(given.statusCode ?? 502, forwarded(given.headers)).end(body),
        (error: Error) => fail(`${error.message} at ${port}, in the answer`),
      );
    });
    client.pipe(peer);
  };
  const server = createServer(forward);
  server.on('upgrade', (client: IncomingMessage, socket: Socket, head: Buffer) => {
    const port = next()?.port;
    if (port === undefined) {
      faults.push(`${client.url}: nobody is ready`);
      socket.destroy();
      return;
    }
    const peer = connect(port, '127.0.0.1');
    const lines = [...pairs(client.rawHeaders)].map(([name, value]) => `${name}: ${value}`);
    peer.write(`${client.method} ${client.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    peer.write(head);
    socket.pipe(peer).pipe(socket);
    for (const one of [socket, peer]) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => [socket, peer].forEach((each) => (open.delete(each), each.destroy())));
    }
  });
  // each by itself: one that answers slowly does not delay what is known of the others
  const probe = async (backend: Backend): Promise<void> => {
    while (!stopped.signal.aborted) {
      const answer = await fetch(`http://127.0.0.1:${backend.port}/health/ready`).catch(() => null);
      backend.ready = answer?.status === 200;
      if (!backend.ready) backend.left.resolve();
      await pause(probeMs);
    }
  };
  const add = (port: number): void => {
    const backend = { port, ready: true, left: Promise.withResolvers<void>() };
    backends.push(backend);
    void probe(backend);
  };
  ports.forEach(add);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    stopped.abort();
    ways.destroy();
    server.close();
    server.closeAllConnections();
    for (const socket of open) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    add,
    left: async (port) => backends.find((backend) => backend.port === port)?.left.promise,
  };
}

/** Of this connection only: not for the next one. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function forwarded(headers: IncomingMessage['headers']) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function* pairs(raw: readonly string[]): Iterable<readonly [string, string]> {
  for (let i = 0; i < raw.length; i += 2) yield [raw[i] ?? '', raw[i + 1] ?? ''];
}
