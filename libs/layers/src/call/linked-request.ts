/**
 * A JSON call to the address of a link, as `message`, `ai-chat` and `agent` make it: failures contain neither the address nor
 * the secret.
 */
import type { EgressResponse } from '@weft/egress';
import { LayerFailure, type Connection, type LayerContext } from '../layer-module.js';
import { ofEgress } from './failure.js';
import { withCredential, type OutgoingRequest } from './link-credential.js';
import { secretsOf } from './link-secrets.js';
import { withoutSecret } from './without-secret.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const HELD_BYTES = 65_536;
const MAX_SAID_CHARS = 500;

export interface LinkedRequest {
  readonly url: string;
  /** Whose credentials are shown; default: none. */
  readonly link?: Connection;
  readonly body: unknown;
  /** Further ones, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What a peer says in the body of a refusal, of which this is the beginning; default: nothing that is shown. */
  readonly refusal?: (begin: string) => Refusal | null;
  /** Set when nobody reads the body: it is received, and not held. */
  readonly answer?: 'ignored';
}

export interface Refusal {
  /** Default: `bad_status`. */
  readonly code?: string;
  readonly said: string;
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

type Way = Pick<LayerContext, 'http' | 'signal' | 'timeoutMs' | 'idempotencyKey'>;

/** @throws LayerFailure with the client's codes, and `bad_status` for an answer that is not a success */
export async function postJson(linked: LinkedRequest, context: LayerContext): Promise<LinkedAnswer> {
  const most = Math.min(MAX_ANSWER_BYTES, context.maxOutputBytes);
  const { response, shown } = await openAnswer(linked, context, { most, streamPast: HELD_BYTES });
  try {
    if (linked.answer !== 'ignored')
      return { ...response, shown, body: await context.whole(response, MAX_ANSWER_BYTES) };
    await readToEnd(response);
    return { ...response, shown };
  } catch (error) {
    throw ofEgress(error);
  }
}

/**
 * The answer of a success; nobody has read its body yet.
 *
 * @throws LayerFailure like `postJson`
 */
export async function openAnswer(
  { link, url, headers: more = {}, refusal, ...linked }: LinkedRequest,
  context: Way,
  { most, streamPast }: { readonly most: number; readonly streamPast: number },
): Promise<{ readonly response: EgressResponse; readonly shown: readonly string[] }> {
  const body = JSON.stringify(linked.body);
  const named = { 'Content-Type': 'application/json', 'Idempotency-Key': context.idempotencyKey, ...more };
  const headers = new Map(Object.entries(named).map((each) => [each[0].toLowerCase(), each] as const));
  const request: OutgoingRequest = { method: 'POST', url, headers, body };
  const shown: string[] = [];
  try {
    const { response } = await withValidToken(link ?? null, async (its) => {
      if (its) shown.push(...secretsOf(its));
      const sent = its ? withCredential(its, request) : request;
      return {
        response: await context.http.request({
          ...{ method: 'POST', url: sent.url, body, headers: Object.fromEntries(sent.headers.values()) },
          ...{ timeoutMs: context.timeoutMs, maxRedirects: 0, maxResponseBytes: most, streamPast },
          signal: context.signal,
        }),
      };
    });
    if (response.statusCode >= 200 && response.statusCode <= 299) return { response, shown };
    throw await refused(response, shown, refusal);
  } catch (error) {
    throw ofEgress(error);
  }
}

async function refused(
  response: EgressResponse,
  shown: readonly string[],
  refusal: LinkedRequest['refusal'],
): Promise<LayerFailure> {
  const { statusCode, headers } = response;
  const begin = await beginOf(response).catch(() => '');
  const { code = 'bad_status', said = '' } = refusal?.(begin) ?? {};
  const message = `${new URL(response.url).host} answered ${statusCode}`;
  const answer = { statusCode, headers };
  // a cut text must not end within a secret
  const masked = withoutSecret(said, shown).slice(0, MAX_SAID_CHARS).toWellFormed();
  return new LayerFailure(code, masked === '' ? message : `${message}: ${masked}`, undefined, { answer });
}

/** The first bytes of its body, which is read to its end. */
async function beginOf(response: EgressResponse): Promise<string> {
  const chunks = [response.body];
  let bytes = response.body.byteLength;
  for await (const chunk of response.stream ?? []) {
    if (bytes < HELD_BYTES) chunks.push(chunk);
    bytes += chunk.byteLength;
  }
  return Buffer.concat(chunks).subarray(0, HELD_BYTES).toString();
}
