import { createTransport } from 'nodemailer';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { createAddressGuard } from '../address-guard.js';
import type { EgressClientOptions } from '../create-egress-client.js';
import { EgressError } from '../egress-client.js';
import { createGuardedConnector } from '../guarded-connector.js';
import { asMailError } from './mail-failure.js';
import { mustEncrypt } from './must-encrypt.js';
import type { Mail, MailClient, MailReceipt, MailServer } from './mail-client.js';

const MAX_RESPONSE_BYTES = 65_536;

export type MailClientOptions = Pick<EgressClientOptions, 'allow' | 'connectTimeoutMs' | 'resolve'>;

/** Its sockets come from the guarded connector; the mail library resolves and connects to nothing by itself. */
export function createMailClient(options: MailClientOptions): MailClient {
  const guard = createAddressGuard(options.allow);
  const connectTimeoutMs = options.connectTimeoutMs ?? 10_000;
  const connect = createGuardedConnector({ guard, connectTimeoutMs, resolve: options.resolve });

  async function talk<T>(server: MailServer, limits: Limits, say: (post: Post) => Promise<T>): Promise<T> {
    const place = placeOf(server.url);
    const over = AbortSignal.timeout(limits.timeoutMs);
    const signal = limits.signal ? AbortSignal.any([over, limits.signal]) : over;
    let socket: Socket | undefined;
    const hangUp = (): void => void socket?.destroy();
    signal.addEventListener('abort', hangUp);
    try {
      socket = await opened(connect, place);
      signal.throwIfAborted();
      const verdict = guard.judge(socket.remoteAddress ?? '', place.port);
      return await say(postOver(socket, place, server, mustEncrypt(server.login, verdict)));
    } catch (error) {
      if (over.aborted) throw new EgressError('timeout', `${place.host} took longer than ${limits.timeoutMs} ms`);
      if (signal.aborted) throw new EgressError('cancelled', `the mail to ${place.host} was cancelled`);
      throw asMailError(error, place.host);
    } finally {
      signal.removeEventListener('abort', hangUp);
      socket?.destroy();
    }
  }

  return {
    send: (mail) => talk(mail.server, mail, (post) => sendOver(post, mail)),
    check: (server, timeoutMs) =>
      talk(server, { timeoutMs }, async (post) => {
        await post.verify();
      }),
  };
}

type Post = ReturnType<typeof postOver>;
type Limits = Pick<Mail, 'timeoutMs' | 'signal'>;

interface Place {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on. */
  readonly secure: boolean;
}

function placeOf(text: string): Place {
  const url = URL.parse(text);
  const secure = url?.protocol === 'smtps:';
  if (!url || (!secure && url.protocol !== 'smtp:') || url.hostname === '') {
    throw new EgressError('invalid_args', 'a mail server is written smtp://host:port or smtps://host:port');
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (secure ? 465 : 587), secure };
}

function opened(connect: buildConnector.connector, { host, port }: Place): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = { hostname: host, host, protocol: 'http:', port: String(port) };
    connect(target, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
  });
}

function postOver(connection: Socket, { host, port, secure }: Place, { login }: MailServer, requireTLS: boolean) {
  return createTransport({
    ...{ host, port, secure, requireTLS, maxResponseSize: MAX_RESPONSE_BYTES },
    getSocket: (_options: unknown, callback: (error: Error | null, found: { connection: Socket }) => void) =>
      callback(null, { connection }),
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    // nothing that a user says makes it read a file or call an address
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function sendOver(post: Post, mail: Mail): Promise<MailReceipt> {
  const { from, to, cc, subject, text, html, messageId } = mail;
  const { accepted, rejected } = await post.sendMail({
    ...{ from, to: [...to], cc: [...cc], subject, messageId },
    ...(text !== null && { text }),
    ...(html !== null && { html }),
  });
  return { accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
}

function addressOf(recipient: string | { readonly address: string }): string {
  return typeof recipient === 'string' ? recipient : recipient.address;
}
