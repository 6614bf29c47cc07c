/** Sends a signed request to S3, and finds what is wrong with its answer. */
import { isAmazonRegion, UNSIGNED_PAYLOAD, withSignature, type EgressResponse, type OutgoingBody } from '@weft/egress';
import { secretsOf, signingOf } from '../../call/link-secrets.js';
import { isBodySigned, type OutgoingRequest } from '../../call/link-credential.js';
import { LayerFailure, type Connection, type LayerContext } from '../../layer-module.js';
import { withoutSecrets } from '../web-request/without-secrets.js';
import { addressOf, type Place } from './address.js';
import { errorIn, statusText } from './answer.js';

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE';
  readonly place: Place;
  readonly query?: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OutgoingBody;
  /** SHA-256 of the body, in hex. */
  readonly hash: string;
  readonly maxResponseBytes: number;
}

/** A larger answer is streamed. */
const HELD_BYTES = 65_536;
const MAX_ERROR_BYTES = 65_536;

/**
 * The answer, which is a success. Amazon says where a bucket is to who asks in another region: the request is then signed and sent
 * once more, to the same bucket there.
 *
 * @throws LayerFailure `not_found`, `precondition_failed`, `clock_skewed`, `bad_status`; EgressError
 */
export async function sendToS3(link: Connection, request: S3Request, context: LayerContext): Promise<EgressResponse> {
  const { scope } = signingOf(link);
  const first = await send(link, request, scope.region, context);
  if (isSuccess(first)) return first;
  const fault = await faultIn(first, context);
  const region = link.endpoint === null ? fault.region : undefined;
  if (!isAmazonRegion(region) || region === scope.region) throw failureOf(first, fault, request);
  const second = await send(link, request, region, context);
  if (isSuccess(second)) return second;
  throw failureOf(second, await faultIn(second, context), request);
}

async function send(
  link: Connection,
  { method, place, query = {}, headers = {}, body, hash, maxResponseBytes }: S3Request,
  region: string,
  context: LayerContext,
): Promise<EgressResponse> {
  const { keys, scope } = signingOf(link);
  const url = new URL(addressOf(link, region, place));
  url.search = new URLSearchParams(query).toString();
  const unsigned: OutgoingRequest = {
    ...{ method, url: url.href, body: body ?? null },
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [name, value] as const])),
  };
  const payloadHash = isBodySigned(link, unsigned) ? hash : UNSIGNED_PAYLOAD;
  const signed = withSignature(unsigned, keys, { ...scope, region }, { payloadHash, nowMs: Date.now() });
  const response = await context.http.request({
    method,
    url: signed.url,
    headers: Object.fromEntries(signed.headers.values()),
    ...(body !== undefined && { body }),
    timeoutMs: context.timeoutMs,
    maxRedirects: 0,
    maxResponseBytes: Math.min(maxResponseBytes, context.maxOutputBytes),
    streamPast: HELD_BYTES,
    signal: context.signal,
  });
  // an object is what it is: of the secrets only the token was sent
  const isObject = method === 'GET' && place.key !== undefined && isSuccess(response);
  const token = keys.sessionToken === undefined ? [] : [keys.sessionToken];
  return withoutSecrets(response, isObject ? token : secretsOf(link));
}

function isSuccess({ statusCode }: EgressResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

interface Fault {
  readonly awsCode: string | null;
  readonly region: string | undefined;
}

async function faultIn(response: EgressResponse, context: LayerContext): Promise<Fault> {
  const region = response.headers['x-amz-bucket-region'];
  const body = await context.whole(response, MAX_ERROR_BYTES).catch(() => null);
  const said = body ? errorIn(body) : { awsCode: null, region: undefined };
  return { awsCode: said.awsCode, region: region ?? said.region };
}

/** S3 says with a success that it copies, and afterwards that it could not. @throws LayerFailure `bad_status` */
export function assertCopied(response: EgressResponse, body: Buffer, request: S3Request): void {
  const { awsCode, region } = errorIn(body);
  // the server has failed: another attempt may succeed
  if (awsCode !== null) throw failureOf({ ...response, statusCode: 500 }, { awsCode, region }, request);
}

const SKEWED: ReadonlySet<string> = new Set(['RequestTimeTooSkewed', 'RequestExpired']);

function failureOf(
  { statusCode, headers, url }: EgressResponse,
  { awsCode, region }: Fault,
  { method, place }: S3Request,
): LayerFailure {
  const { host } = new URL(url);
  const what = awsCode === null ? '' : ` (${awsCode})`;
  const out = { statusCode, awsCode };
  const answer = { statusCode, headers };
  const fail = (code: string, message: string) => new LayerFailure(code, message, out, { answer });
  if (statusCode === 404) {
    const noun = awsCode === 'NoSuchBucket' ? `bucket "${place.bucket}"` : 'such object';
    return fail('not_found', `${host} has no ${noun}${what}.`);
  }
  if (statusCode === 412) return fail('precondition_failed', `${host} has the object already${what}.`);
  if (awsCode !== null && SKEWED.has(awsCode)) {
    return fail(
      'clock_skewed',
      `${host} has another time than the worker: set the clock of the machine that is wrong${what}.`,
    );
  }
  const elsewhere = isAmazonRegion(region) ? `; the bucket is in the region ${region}: set it in the integration` : '';
  const unsaid = method === 'HEAD' ? '; an answer to head says no reason, one to get or list does' : '';
  return fail('bad_status', `${host} answered ${statusText(statusCode, awsCode)}${elsewhere || unsaid}`);
}
