/**
 * A JSON call to the address of a link, as `message` and `ai-chat` make it: failures contain neither the address nor
 * the secret.
 */
import type { EgressResponse } from '@weft/egress';
import { LayerFailure, type Connection, type LayerContext } from '../layer-module.js';
import { ofEgress } from './failure.js';
import { withCredential, type OutgoingRequest } from './link-credential.js';
import { secretsOf } from './link-secrets.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const HELD_BYTES = 65_536;

export interface LinkedRequest {
  readonly url: string;
  /** Whose credentials are shown; default: none. */
  readonly link?: Connection;
  readonly body: unknown;
  /** Set when nobody reads the body: it is received, and not held. */
  readonly answer?: 'ignored';
}

interface LinkedAnswer extends EgressResponse {
  /** The secrets that the peer was shown, and may repeat: also of a token that it refused. */
  readonly shown: readonly string[];
}

const UNAUTHORIZED = 401;

/**
 * What `send` brings; once more with another token where the peer answers 401 and the link can get one: it does not say
 * when its token ends, or the token has ended early.
 */
export async function withValidToken<Sent extends { readonly response: EgressResponse }>(
  link: Connection | null,
  send: (link: Connection | null) => Promise<Sent>,
): Promise<Sent> {
  const sent = await send(link);
  if (sent.response.statusCode !== UNAUTHORIZED) return sent;
  const renewed = await link?.renewed?.();
  if (!renewed) return sent;
  await readToEnd(sent.response).catch(() => undefined);
  return send(renewed);
}

/** So that the connection can be used again. */
async function readToEnd({ stream }: EgressResponse): Promise<void> {
  const pieces = stream?.[Symbol.asyncIterator]();
  while (pieces && !(await pieces.next()).done);
}

/** @throws LayerFailure with the client's codes, and `bad_status` for an answer that is not a success */
export async function postJson({ link, ...linked }: LinkedRequest, context: LayerContext): Promise<LinkedAnswer> {
  const body = JSON.stringify(linked.body);
  const headers = new Map([
    ['content-type', ['Content-Type', 'application/json']],
    ['idempotency-key', ['Idempotency-Key', context.idempotencyKey]],
  ] as const);
  const request: OutgoingRequest = { method: 'POST', url: linked.url, headers, body };
  const send = async (shown: OutgoingRequest) => ({
    response: await context.http.request({
      method: 'POST',
      url: shown.url,
      body,
      timeoutMs: context.timeoutMs,
      maxRedirects: 0,
      headers: Object.fromEntries(shown.headers.values()),
      maxResponseBytes: Math.min(MAX_ANSWER_BYTES, context.maxOutputBytes),
      streamPast: HELD_BYTES,
      signal: context.signal,
    }),
  });
  const shown: string[] = [];
  try {
    const { response } = await withValidToken(link ?? null, (its) => {
      if (its) shown.push(...secretsOf(its));
      return send(its ? withCredential(its, request) : request);
    });
    const { statusCode, headers } = response;
    if (statusCode < 200 || statusCode > 299) {
      await readToEnd(response).catch(() => undefined);
      const message = `${new URL(response.url).host} answered ${statusCode}`;
      throw new LayerFailure('bad_status', message, undefined, { answer: { statusCode, headers } });
    }
    if (linked.answer !== 'ignored')
      return { ...response, shown, body: await context.whole(response, MAX_ANSWER_BYTES) };
    await readToEnd(response);
    return { ...response, shown };
  } catch (error) {
    throw ofEgress(error);
  }
}
