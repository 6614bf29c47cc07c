/** Checks whether the service of an integration link can be used, as far as that is possible without side effects. */
import type { LinkTest } from '@weft/shapes';
import { parseJson } from '@weft/kernel';
import { EgressError, isS3, type EgressClient, type EgressDialer, type EgressResponse } from '@weft/egress';
import { endpointOf } from './modules/ai-chat/endpoint.js';
import { isDatabase, placeOf } from './sql/database-place.js';
import { ownStatement } from './sql/once.js';
import { openSession } from './sql/open-session.js';
import { mailServerOf } from './modules/email/email.layer.js';
import { checkMailServer } from './modules/email/send-mail.js';
import { LayerFailure, type Connection } from './layer-module.js';
import { withCredential, type OutgoingRequest } from './call/link-credential.js';
import { signingOf } from './call/link-secrets.js';
import { addressOfBuckets, amazonOf } from './modules/s3/address.js';
import { errorIn, readAnswer, statusText } from './modules/s3/answer.js';

export interface ConnectionCheck {
  readonly ok: boolean;
  /** What was checked, and the result; without the secret. */
  readonly detail: string;
}

/** The guarded clients for HTTP and for other protocols. */
export interface EgressClients {
  readonly http: EgressClient;
  readonly sockets: EgressDialer;
}

const TIMEOUT_MS = 10_000;
/** Some hundred models; of a longer answer nothing is read. */
const MAX_READ_BYTES = 64 * 1024;
const HTTP = /^https?:/i;

/** Null for a link that does not say where it leads, or how it can be tried: no service is called. */
export async function checkConnection(link: Connection, ways: EgressClients): Promise<ConnectionCheck | null> {
  return orRefusal(async () => {
    if (link.kind === 'aws_sigv4') return checkKeys(link, ways);
    if (/^smtps?:/i.test(link.endpoint ?? '')) return checkMail(link, ways);
    if (isDatabase(link.endpoint)) return checkDatabase(link, ways);
    if (HTTP.test(link.secret) && URL.canParse(link.secret)) return checkWebhook(new URL(link.secret), ways);
    const isBearer = (link.kind ?? 'bearer') === 'bearer';
    if ((isBearer && HTTP.test(link.endpoint ?? '')) || link.type.toLowerCase() === 'openai')
      return checkModels(link, ways);
    return null;
  });
}

/** Makes the request that the link names for its tests. Any success shows that its credentials are taken. */
export function tryRequest(
  link: Connection,
  { method, path }: LinkTest,
  ways: EgressClients,
): Promise<ConnectionCheck> {
  return orRefusal(async () => {
    const url = `${endpointOf(link)}${path}`;
    const status = (await ask(link, method, url, ways)).statusCode;
    const { host } = new URL(url);
    if (status >= 200 && status < 300) return { ok: true, detail: `${host} answered ${status} to ${method} ${path}.` };
    const isRefusal = status === 401 || status === 403;
    const why = isRefusal ? `does not take the credentials: it answered ${status}` : `answered ${status}`;
    return { ok: false, detail: `${host} ${why} to ${method} ${path}.` };
  });
}

async function orRefusal<Check>(check: () => Promise<Check>): Promise<Check | ConnectionCheck> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof LayerFailure || error instanceof EgressError) {
      return { ok: false, detail: `${error.message.replace(/\.$/, '')} (${error.code}).` };
    }
    throw error;
  }
}

/** Connects, encrypts and logs in; sends no mail. */
async function checkMail(link: Connection, { sockets }: EgressClients): Promise<ConnectionCheck> {
  const { url, login } = mailServerOf(link, '');
  const isSender = login?.user === '';
  await checkMailServer(sockets, { url, login: isSender ? null : login }, TIMEOUT_MS);
  const { host } = new URL(url);
  if (isSender) {
    return { ok: true, detail: `${host} answers; the sender of each mail logs in, so the password was not tried.` };
  }
  return { ok: true, detail: login ? `${host} took the login.` : `${host} answers; it was not logged in to.` };
}

/** Of the answer of a database. */
const MAX_CHECK_BYTES = 64 * 1024;

/** Logs in and asks for nothing but a one. */
async function checkDatabase(link: Connection, { sockets }: EgressClients): Promise<ConnectionCheck> {
  const place = placeOf(link);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const session = await openSession(place, sockets, signal);
  try {
    await session.begin({ playId: 'test', timeoutMs: TIMEOUT_MS, isReadOnly: true, signal });
    await session.all(ownStatement('select 1'), { most: 1, bytes: MAX_CHECK_BYTES });
  } finally {
    session.close();
  }
  const how = place.tls === 'off' ? ', without TLS' : '';
  const where = place.database === '' ? '' : ` to the database ${place.database}`;
  return { ok: true, detail: `${place.host} took the login${where}${how}.` };
}

/** A webhook can only be posted to, so only the connection to it is tried. */
async function checkWebhook({ hostname, port, protocol }: URL, { sockets }: EgressClients): Promise<ConnectionCheck> {
  const tls = protocol === 'https:';
  const socket = await sockets.dial({
    host: hostname,
    port: Number(port) || (tls ? 443 : 80),
    tls,
    timeoutMs: TIMEOUT_MS,
  });
  socket.destroy();
  return { ok: true, detail: `${hostname} can be reached; whether it takes messages is seen only by posting one.` };
}

async function checkModels(link: Connection, ways: EgressClients): Promise<ConnectionCheck> {
  const url = `${endpointOf(link)}/models`;
  const { host } = new URL(url);
  const { statusCode, body, stream } = await ask(link, 'GET', url, ways);
  if (statusCode === 401 || statusCode === 403) {
    return { ok: false, detail: `${host} does not take the key: it answered ${statusCode}.` };
  }
  if (statusCode === 404) {
    return { ok: true, detail: `${host} answers; it has no list of models, so the key was not tried.` };
  }
  if (statusCode !== 200) return { ok: false, detail: `${host} answered ${statusCode} to GET /models.` };
  if (stream) return { ok: true, detail: `${host} took the key.` };
  const count = modelsIn(body);
  if (count === null) return { ok: false, detail: `${host} answered something that is no list of models.` };
  return { ok: true, detail: `${host} took the key and has ${count} models.` };
}

/** Asks STS whose the keys are, which needs no right; or an endpoint of S3 for its buckets. */
async function checkKeys(link: Connection, ways: EgressClients): Promise<ConnectionCheck | null> {
  const { scope } = signingOf(link);
  const isOwn = link.endpoint !== null;
  if (isOwn && !isS3(scope.service)) return null;
  const asked = isOwn ? link : { ...link, settings: { ...link.settings, service: 'sts' } };
  const address = isOwn
    ? addressOfBuckets(link)
    : `${amazonOf('sts', scope.region)}/?Action=GetCallerIdentity&Version=2011-06-15`;
  const { statusCode, body, stream } = await ask(asked, 'GET', address, ways);
  const { host } = new URL(address);
  const isSuccess = statusCode >= 200 && statusCode < 300;
  if (
    isSuccess &&
    !stream &&
    !(readAnswer(body).root ?? '').startsWith(isOwn ? 'ListAllMyBuckets' : 'GetCallerIdentity')
  ) {
    return {
      ok: false,
      detail: `${host} answered ${statusCode} with something that is not from ${isOwn ? 'S3' : 'STS'}.`,
    };
  }
  const { awsCode } = errorIn(body);
  // the keys are good; they may not list the buckets
  const isDenied = awsCode === 'AccessDenied';
  if (isSuccess || isDenied) {
    const rest = isDenied ? '; they may not list the buckets, so no bucket was tried' : '';
    return { ok: true, detail: `${host} took the keys${rest}.` };
  }
  const why = statusCode === 401 || statusCode === 403 ? 'does not take the keys: it answered' : 'answered';
  return { ok: false, detail: `${host} ${why} ${statusText(statusCode, awsCode)}.` };
}

async function ask(
  link: Connection,
  method: string,
  address: string,
  { http }: EgressClients,
): Promise<EgressResponse> {
  const { url, headers } = withCredential<OutgoingRequest>(link, {
    ...{ method, url: address, headers: new Map(), body: null },
  });
  const response = await http.request({
    ...{ method, url, headers: Object.fromEntries(headers.values()) },
    ...{ timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxResponseBytes: Infinity, streamPast: MAX_READ_BYTES },
  });
  await stop(response);
  return response;
}

/** Who stops reading a stream ends the call. */
async function stop({ stream }: EgressResponse): Promise<void> {
  const pieces = stream?.[Symbol.asyncIterator]();
  await pieces?.next();
  await pieces?.return?.();
}

function modelsIn(body: Buffer): number | null {
  try {
    const { data } = parseJson(body) as { readonly data?: unknown };
    return Array.isArray(data) ? data.length : null;
  } catch {
    return null;
  }
}
