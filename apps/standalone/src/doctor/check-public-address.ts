import type { Settings } from '@weft/config';
import { randomBytes } from 'node:crypto';
import { request as overTcp, type IncomingMessage } from 'node:http';
import { request as overTls } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { validity } from './certificates.js';
import { error, ok, warning, type Finding } from './finding.js';

const WITHIN_MS = 10_000;
const SWITCHING_PROTOCOLS = 101;
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };

interface Answer {
  readonly status: number;
  /** Of a problem document. */
  readonly code: string | null;
  readonly certificateUntil: string | null;
}

/** The way of users and programs: through the public address (`API_URL`), with all proxies in between. */
export async function checkPublicAddress({ server: { apiUrl } }: Settings): Promise<readonly Finding[]> {
  const ready = await ask(`${apiUrl}/health/ready`).catch(whyNot);
  if (typeof ready === 'string') {
    return [
      error(
        'public.reached',
        `${apiUrl} does not answer (${ready}).`,
        'Start the processes; correct API_URL, the proxy or the name server.',
      ),
    ];
  }
  return [
    ready.status === 200
      ? ok('public.reached', `${apiUrl} answers.`)
      : error(
          'public.reached',
          `${apiUrl}/health/ready answers ${ready.status}.`,
          'It should lead to an api process that is ready.',
        ),
    ...certificate(ready.certificateUntil),
    ...plain(apiUrl),
    ...(await Promise.all(
      ['/api/ws', '/ws/plays/doctor', '/socket.io/?EIO=4&transport=websocket'].map((path) => socket(apiUrl, path)),
    )),
  ];
}

/**
 * A realtime process refuses a socket without a credential before the handshake, and does not know the path as a page. So two different
 * answers mean that the request for an upgrade arrived there. socket.io asks for the credential after the handshake.
 */
async function socket(apiUrl: string, path: string): Promise<Finding> {
  const check = `public.sockets ${path.split('?')[0]}`;
  const key = randomBytes(16).toString('base64');
  const [upgrade, page] = await Promise.all([
    ask(apiUrl + path, { ...UPGRADE, 'sec-websocket-key': key }).catch(whyNot),
    ask(apiUrl + path).catch(whyNot),
  ]);
  const isRefused = typeof upgrade !== 'string' && upgrade.code === 'unauthenticated' && !isSame(upgrade, page);
  if (isRefused || (typeof upgrade !== 'string' && upgrade.status === SWITCHING_PROTOCOLS)) {
    return ok(check, `Requests for a socket at ${path.split('?')[0]} reach a realtime process.`);
  }
  const said = typeof upgrade === 'string' ? upgrade : String(upgrade.status);
  return error(
    check,
    `Requests for a socket at ${path.split('?')[0]} do not reach a realtime process (${said}).`,
    'Let the proxy send /ws, /api/ws and /socket.io to realtime, over HTTP/1.1 with the headers Upgrade and Connection (docs/deploy/README.md#the-proxy-in-front).',
  );
}

function isSame(one: Answer, other: Answer | string): boolean {
  return typeof other !== 'string' && one.status === other.status && one.code === other.code;
}

function certificate(until: string | null): readonly Finding[] {
  return until === null ? [] : [validity('public.certificate', 'of the public address', until)];
}

function plain(apiUrl: string): readonly Finding[] {
  const { protocol, hostname } = new URL(apiUrl);
  const isNear = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  if (protocol === 'https:' || isNear) return [];
  return [
    warning(
      'public.tls',
      `${apiUrl} is not encrypted: passwords and keys can be read on the way.`,
      'Put a proxy with TLS in front, and set API_URL to https.',
    ),
  ];
}

function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? overTls : overTcp;
    const asked = send(url, { headers: { ...headers }, agent: false, timeout: WITHIN_MS });
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.on('error', reject);
    asked.on('upgrade', (answer, stream) => {
      stream.destroy();
      resolve({ status: answer.statusCode ?? 0, code: null, certificateUntil: null });
    });
    asked.on('response', (answer) => void read(answer).then(resolve, reject));
    asked.end();
  });
}

const MAX_BYTES = 65_536;

async function read(answer: IncomingMessage): Promise<Answer> {
  const { socket: connection } = answer;
  const certificateUntil =
    'getPeerCertificate' in connection ? (connection as TLSSocket).getPeerCertificate().valid_to : null;
  let text = '';
  for await (const chunk of answer) if (text.length < MAX_BYTES) text += String(chunk);
  return { status: answer.statusCode ?? 0, code: codeIn(text), certificateUntil };
}

function codeIn(text: string): string | null {
  try {
    const { code } = JSON.parse(text) as { readonly code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

function whyNot(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code ?? message;
}
