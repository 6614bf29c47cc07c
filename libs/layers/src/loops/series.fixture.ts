/** Runs one layer of a play in the way that a worker does, with a peer in memory. */
import type { EgressRequest, EgressResponse } from '@weft/egress';
import type { DoneItems, LayerDefinition, LayerResult, LayerWait, Play } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import type { Faces } from '../face.js';
import type { CallGate } from '../call/call-gate.js';
import { InlineBudget } from '../memory/inline-budget.js';
import type { IntegrationSource } from '../call/integration-source.js';
import type { LayerCall } from '../call/layer-call.js';
import { LayerRunner, type LayerEnd } from '../call/layer-runner.js';
import { prepareVersion } from '../call/prepared-version.js';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

const PIECE_BYTES = 64 * 1024;

export interface Answer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Where redirects led. */
  readonly url?: string;
}

export interface Peer {
  readonly layer: Partial<LayerDefinition>;
  readonly answer: (request: EgressRequest, nth: number) => Answer | Promise<Answer>;
  readonly integrations?: IntegrationSource;
  readonly faces?: Faces;
  readonly gate?: CallGate;
  readonly maxOutputBytes?: number;
  readonly play?: Partial<Play>;
  readonly heldBytes?: number;
  /** Large bodies come as streams: called before each piece of one, and at its end. */
  readonly onPiece?: (piece: Piece) => Promise<void> | void;
}

export interface Piece {
  readonly url: string;
  /** Bytes before it. */
  readonly at: number;
  readonly isEnd: boolean;
}

export function peerWith({
  layer,
  answer,
  integrations,
  faces,
  gate,
  maxOutputBytes = 1_000_000,
  play = {},
  heldBytes,
  onPiece,
}: Peer) {
  const requests: EgressRequest[] = [];
  const payloads = new MemoryPayloads();
  const http = {
    close: async () => undefined,
    request: async (request: EgressRequest): Promise<EgressResponse> => {
      requests.push(request);
      const {
        statusCode = 200,
        headers = {},
        body = null,
        url = request.url,
      } = await answer(request, requests.length - 1);
      const sent = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      const answered = { statusCode, headers: { 'content-type': 'application/json', ...headers }, url };
      const isStreamed = sent.byteLength > (request.streamPast ?? Number.POSITIVE_INFINITY);
      if (!onPiece || !isStreamed) return { ...answered, body: sent };
      const told = (at: number) => onPiece({ url, at, isEnd: at >= sent.byteLength });
      return { ...answered, body: Buffer.alloc(0), stream: inPieces(sent, told) };
    },
  };
  const version = aVersion([aLayer('a', { appId: 'web-request', ...layer })], {
    settings: { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes },
  });
  const services = { ...(integrations && { integrations }), ...(gate && { gate }), ...(heldBytes && { heldBytes }) };
  const runner = new LayerRunner({ http, payloads, sandbox, serverNow: () => NOW, ...services });
  const progress: string[] = [];
  const run = (more: Partial<LayerCall> & { readonly of?: Partial<Play> } = {}): Promise<LayerEnd> => {
    const { of, ...call } = more;
    return runner.run({
      ...{
        play: { ...aPlay({ companyId: 'c' }), ...play, ...of },
        prepared: prepareVersion(version, 'Acme', undefined, faces),
      },
      ...{ position: 0, attempt: 1, wait: null, answer: null, outputs: new Map(), errors: new Map() },
      ...{ inlineBudget: new InlineBudget(), by: 'me', signal: new AbortController().signal, ...call },
    });
  };
  return { run, requests, payloads, progress, urls: () => requests.map(({ url }) => url) };
}

async function* inPieces(body: Buffer, told: (at: number) => Promise<void> | void): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) {
    await told(at);
    yield body.subarray(at, at + PIECE_BYTES);
  }
  await told(body.byteLength);
}

export const keysOf = (requests: readonly EgressRequest[]) =>
  requests.map(({ headers = {} }) => headers['Idempotency-Key']);

export function resultOf({ outcome }: LayerEnd): LayerResult {
  if (outcome.kind !== 'result') throw new Error(`it waits for ${outcome.wait.kind}`);
  return outcome.result;
}

export function waitOf({ outcome }: LayerEnd): { readonly wait: LayerWait; readonly doneItems?: DoneItems } {
  if (outcome.kind !== 'wait') throw new Error(`it ended ${outcome.result.state}`);
  return outcome;
}
