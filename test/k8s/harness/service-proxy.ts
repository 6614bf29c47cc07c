import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { KubeApi } from './kube-api.js';

interface EndpointSlice {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: { readonly ready?: boolean };
  }[];
}

const LOOK_EVERY_MS = 250;
const PORT = 3_000;

/**
 * What kube-proxy does: a new connection goes to one of the Service's endpoints that are ready.
 * @returns its address
 */
export async function serviceProxy(api: KubeApi, namespace: string, service: string): Promise<string> {
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name=${service}`;
  let ready: readonly string[] = [];
  let turn = 0;
  const open = new Set<Socket>();
  const stopped = new AbortController();
  const look = async (): Promise<void> => {
    const found = await api.list<EndpointSlice>(slices);
    const endpoints = found.flatMap(({ endpoints: all }) => all ?? []);
    ready = endpoints.filter(({ conditions }) => conditions.ready === true).flatMap(({ addresses }) => addresses);
  };
  const server = createServer((client) => {
    turn += 1;
    const host = ready[turn % ready.length];
    if (host === undefined) return client.destroy();
    const peer = connect(PORT, host);
    client.pipe(peer).pipe(client);
    for (const one of [client, peer]) {
      open.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => [client, peer].forEach((each) => (open.delete(each), each.destroy())));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const looking = (async () => {
    while (!stopped.signal.aborted) {
      await look().catch(() => undefined);
      await pause(LOOK_EVERY_MS);
    }
  })();
  afterAll(async () => {
    stopped.abort();
    await looking;
    server.close();
    for (const socket of open) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
