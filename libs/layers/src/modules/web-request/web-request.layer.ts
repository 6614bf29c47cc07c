import type { EgressResponse } from '@weft/egress';
import {
  LayerFailure,
  type CallIntent,
  type Connection,
  type LayerContext,
  type Output,
  type WorkingModule,
} from '../../layer-module.js';
import { ofEgress } from '../../call/failure.js';
import { withCredentialOfStream } from '../../call/link-credential.js';
import { secretsOf } from '../../call/link-secrets.js';
import { withValidToken } from '../../call/linked-request.js';
import { withoutSecret } from '../../call/without-secret.js';
import { webRequestArgs, webRequestOut, type WebRequestArgs } from './args.js';
import { cookieIn } from './cookies.js';
import { failsOn } from './fail-on.js';
import { isTextType, storeFile } from './file-body.js';
import { webPaging } from './paging.js';
import { readBody } from './read-body.js';
import { requestBody } from './request-body.js';
import { addQuery, requestHeaders } from './request-parts.js';
import { assertAtOrigin, faultOfLink, LINK_PLACES, withLinkFields } from './link-fields.js';
import { sentSecrets } from './sent-secrets.js';
import { storeBody } from './store-body.js';
import { withoutSecrets } from './without-secrets.js';

const MAX_REDIRECTS = 5;
/** docs/operator-contract.md §1: response of a web request. */
const MAX_RESPONSE_BYTES = 67_108_864;
/** A larger body is never held whole; in a loop, many of which are called at once, only where there is room. */
const HELD_BYTES = 262_144;
const HELD_IN_LOOP_BYTES = 65_536;
/** A server that renews a session sends the new value in these headers, for the next layer to use. */
const SESSION_HEADERS = ['set-cookie'];

/**
 * Calls an HTTP address through the egress client. Fails with the client's codes (`destination_blocked`,
 * `connect_failed`, `timeout`, `output_too_large`, `cancelled`, `invalid_args`), with those of an unusable link, and
 * with `bad_status`, which keeps its output. Messages contain only the host: paths, queries, headers and bodies may
 * hold secrets.
 */
export const webRequest: WorkingModule<WebRequestArgs> = {
  appId: 'web-request',
  title: 'Web request',
  description:
    'Sends an HTTP request and gives the answer: status, headers, body, and the body parsed where it is JSON.',
  icon: 'globe',
  effect: 'effect',
  destinations: ['url'],
  jsonFrom: 'body',
  linkPlaces: LINK_PLACES,
  inspect: faultOfLink,
  argsSchema: webRequestArgs,
  paging: webPaging,
  outSchema: webRequestOut,
  examples: [
    { title: 'Read a page', args: { url: 'https://example.com/' } },
    {
      title: 'Create a record',
      args: {
        method: 'POST',
        url: 'https://api.example.com/v1/contacts',
        headers: { Authorization: 'Bearer {{ $blueprint.token }}' },
        body: { name: '{{ $prev.args.name }}', tags: ['new'] },
      },
    },
    {
      title: 'Call a service that takes its key in a header of its own',
      args: {
        url: 'https://api.example.com/v1/tenants/7/orders',
        headers: { 'X-Tenant-Key': '7:{{ $link.access_token }}' },
        auth: { integrationId: '06dqx3v8k2m7w0r5t9ya' },
      },
    },
    {
      title: 'Send the file that an earlier layer fetched',
      args: {
        method: 'POST',
        url: 'https://api.example.com/v1/documents',
        bodyType: 'multipart',
        body: { title: 'Invoice', document: '{{ .fetch.body }}' },
      },
    },
    {
      title: 'Look something up, and go on when it is not there',
      args: {
        url: 'https://api.example.com/v1/search',
        query: { q: '{{ $prev.args.term }}', limit: 10 },
        timeoutMs: 5_000,
        failOn: ['5xx'],
      },
    },
    {
      title: 'Read all pages of a list',
      args: {
        url: 'https://api.example.com/v1/orders',
        query: { limit: 100 },
        paginate: { cursor: { from: '{{ $page.json.next_cursor }}', param: 'cursor' }, maxPages: 500 },
      },
    },
  ],

  run: (args, context) => sendWebRequest(args, context),

  intentOf: intentOfRequest,
};

const READING: readonly string[] = ['GET', 'HEAD'];

export function intentOfRequest({ method, url, query }: WebRequestArgs): CallIntent {
  return { reads: READING.includes(method), request: { method, url: addQuery(url, query) } };
}

export interface SendOptions {
  /** The link is used at the origin of its endpoint alone: somebody else has chosen the address. */
  readonly atOriginOfLink?: true;
  /** What an output becomes, also that of an answer that fails the layer. */
  readonly outOf?: (out: Output) => Output;
}

/** @throws LayerFailure as the module says */
export async function sendWebRequest(
  args: WebRequestArgs,
  context: LayerContext,
  { atOriginOfLink, outOf = (out) => out }: SendOptions = {},
): Promise<Output> {
  const startedAt = performance.now();
  const connected = args.auth ? await context.connection(args.auth.integrationId) : null;
  if (connected && atOriginOfLink) assertAtOrigin(args.url, connected, 'the credential');
  // also of a token that was refused: it may be valid elsewhere
  const ofLink: string[] = [];
  const { filled, ...sent } = await withValidToken(connected, async (its) => {
    const withFields = withLinkFields(args, its);
    ofLink.push(...(its ? secretsOf(its) : []), ...withFields.secrets);
    return { filled: withFields, response: await send(withFields.args, context, its) };
  });
  const written = sentSecrets(filled.args.headers);
  const response = withoutSecrets(withoutSecrets(sent.response, ofLink), written, SESSION_HEADERS);
  const { body, bodyEncoding, json } = await bodyOf(response, args, context);
  const out = outOf({
    // in the order in which the output is read where its JSON is stored once
    statusCode: response.statusCode,
    headers: response.headers,
    ...(sent.response.cookies && {
      cookies: sent.response.cookies.map((cookie) => cookieIn(withoutSecret(cookie, ofLink))),
    }),
    durationMs: Math.round(performance.now() - startedAt),
    body,
    ...(bodyEncoding !== undefined && { bodyEncoding }),
    json,
  });
  if (failsOn(args.failOn, response.statusCode)) {
    const message = `${new URL(response.url).host} answered ${response.statusCode}`;
    const { statusCode, headers } = response;
    throw new LayerFailure('bad_status', message, out, { answer: { statusCode, headers } });
  }
  const url = args.paginate ? redirectedTo(response.url, args) : null;
  return url === null ? out : { ...out, url: withoutSecret(url, [...ofLink, ...written]) };
}

/** Where the answer came from, without query; null: from where it was asked for. */
function redirectedTo(answered: string, { url }: WebRequestArgs): string | null {
  const [from, to] = [url, answered].map((address) => URL.parse(address));
  if (!from || !to || (from.origin === to.origin && from.pathname === to.pathname)) return null;
  return `${to.origin}${to.pathname}`;
}

/** The body's fields in the output, whether it is held, stored or a file. An answer that fails the layer does not become a file. */
async function bodyOf(response: EgressResponse, args: WebRequestArgs, context: LayerContext): Promise<Output> {
  const { body, stream, headers, statusCode } = response;
  const { storage, files } = context;
  const progress: LayerContext['progress'] = (percent, status) => context.progress(percent, status);
  try {
    if (!failsOn(args.failOn, statusCode) && isFile(args, headers)) {
      return { body: await storeFile(response, files, progress), json: null };
    }
    if (stream && storage) return await storeBody({ headers }, stream, storage, progress);
    return { ...readBody(stream ? await context.whole(response, MAX_RESPONSE_BYTES) : body, headers['content-type']) };
  } catch (error) {
    throw ofEgress(error);
  }
}

function isFile({ responseType }: WebRequestArgs, headers: EgressResponse['headers']): boolean {
  return responseType === 'file' || (responseType === 'auto' && !isTextType(headers['content-type']));
}

async function send(args: WebRequestArgs, context: LayerContext, link: Connection | null): Promise<EgressResponse> {
  const unsigned = requestHeaders(args, context.idempotencyKey);
  const body = await requestBody(args, unsigned, context.files);
  const request = { method: args.method, url: addQuery(args.url, args.query), headers: unsigned, body };
  const { url, headers } = link ? await withCredentialOfStream(link, request, context.signal) : request;
  try {
    return await context.http.request({
      method: args.method,
      url,
      headers: Object.fromEntries(headers.values()),
      ...(body !== null && { body }),
      timeoutMs: Math.min(args.timeoutMs ?? context.timeoutMs, context.timeoutMs),
      maxRedirects: args.followRedirects ? MAX_REDIRECTS : 0,
      maxResponseBytes: Math.min(MAX_RESPONSE_BYTES, context.maxOutputBytes),
      streamPast: context.storage === null ? HELD_IN_LOOP_BYTES : HELD_BYTES,
      signal: context.signal,
      onProgress: (received, announced) =>
        context.progress((received * 100) / announced, `${received} of ${announced} bytes`),
    });
  } catch (error) {
    throw ofEgress(error);
  }
}
