import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { cleanUpWith, sandbox } from '@weft/testing';
import { pino } from 'pino';
import type { Connection } from '@weft/layers';
import type { TriggerDocument } from '@weft/records';
import { egressTo } from '../source-egress.fixture.js';
import { ModuleCalls } from './module-calls.js';
import { PollSource } from './poll-source.js';

const mongo = { serverNow: () => Date.now() } as never;

/** The calls of modules, made from this machine to itself. */
export function callsFromHere(links: Readonly<Record<string, Connection>> = {}): ModuleCalls {
  const faces = { find: () => Promise.resolve(new Map()) } as never;
  let id = 0;
  return new ModuleCalls(egressTo(links), sandbox, faces, mongo, () => `id${(id += 1)}`, pino({ level: 'silent' }));
}

export function pollFromHere(links: Readonly<Record<string, Connection>> = {}): PollSource {
  return new PollSource(callsFromHere(links), sandbox, mongo);
}

export interface Answering {
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
}

export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** @param say what is answered; null: nothing, ever */
export async function answering(say: (request: IncomingMessage) => Said | null): Promise<Answering> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const said = say(request);
    if (said) response.writeHead(said.status ?? 200, said.headers ?? {}).end(said.body ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUpWith(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function triggerOf(source: TriggerDocument['source']): TriggerDocument {
  return { _id: 't', company_id: 'c', flow_id: 'f', created_by: 'u', source } as TriggerDocument;
}
