/**
 * One conversation with a mail server over a guarded socket: the mail library does not resolve or connect by itself.
 */
import { TimeLimit } from '@weft/concurrency';
import { isPublicAddress, type EgressDialer } from '@weft/egress';
import { createTransport } from 'nodemailer';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { LayerFailure } from '../../layer-module.js';
import { asMailFailure } from './mail-failure.js';
import type { Mail, MailReceipt, MailServer } from './mail.js';
import { mustEncrypt } from './must-encrypt.js';

const MAX_RESPONSE_BYTES = 65_536;

/**
 * @throws LayerFailure with the codes of the dialer; `bad_status` when the server refused the login, the sender, or
 * every recipient
 */
export async function sendMail(sockets: EgressDialer, mail: Mail): Promise<MailReceipt> {
  const { from, to, cc, bcc, replyTo, subject, text, html, messageId } = mail;
  const attachments = mail.attachments.map(({ filename, contentType, content }) => ({
    filename,
    ...(contentType !== null && { contentType }),
    content: typeof content === 'string' ? content : Readable.from(content),
  }));
  try {
    return await talk(sockets, mail.server, mail, async (post) => {
      const { accepted, rejected } = await post.sendMail({
        ...{ from, to: [...to], cc: [...cc], bcc: [...bcc], subject, messageId, attachments },
        ...(replyTo && { replyTo }),
        ...(text !== null && { text }),
        ...(html !== null && { html }),
      });
      return { accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
    });
  } finally {
    for (const { content } of attachments) if (typeof content !== 'string') content.destroy();
  }
}

/** Connects and logs in, and sends no mail. @throws LayerFailure */
export function checkMailServer(sockets: EgressDialer, server: MailServer, timeoutMs: number): Promise<void> {
  return talk(sockets, server, { timeoutMs }, async (post) => {
    await post.verify();
  });
}

type Post = ReturnType<typeof postOver>;
type Limits = Pick<Mail, 'timeoutMs' | 'signal'>;

async function talk<T>(
  sockets: EgressDialer,
  server: MailServer,
  { timeoutMs, signal: outer }: Limits,
  say: (post: Post) => Promise<T>,
): Promise<T> {
  const place = placeOf(server.url);
  const over = new AbortController();
  const limit = new TimeLimit(timeoutMs, () => over.abort());
  const signal = outer ? AbortSignal.any([over.signal, outer]) : over.signal;
  let socket: Socket | undefined;
  const hangUp = (): void => void socket?.destroy();
  signal.addEventListener('abort', hangUp);
  try {
    const { host, port, secure } = place;
    socket = await sockets.dial({ host, port, tls: secure, timeoutMs, signal });
    signal.throwIfAborted();
    return await say(postOver(socket, place, server, sockets.trusted));
  } catch (error) {
    if (over.signal.aborted) throw new LayerFailure('timeout', `${place.host} took longer than ${timeoutMs} ms`);
    if (signal.aborted) throw new LayerFailure('cancelled', `the mail to ${place.host} was cancelled`);
    throw asMailFailure(error, place.host);
  } finally {
    limit.end();
    signal.removeEventListener('abort', hangUp);
    socket?.destroy();
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. */
  readonly secure: boolean;
}

function placeOf(text: string): Place {
  const url = URL.parse(text);
  const secure = url?.protocol === 'smtps:';
  if (!url || (!secure && url.protocol !== 'smtp:') || url.hostname === '') {
    throw new LayerFailure('invalid_args', 'a mail server is written smtp://host:port or smtps://host:port');
  }
  return { host: url.hostname, port: Number(url.port) || (secure ? 465 : 587), secure };
}

/** @param trusted what the server's certificate is checked with after STARTTLS */
function postOver(
  connection: Socket,
  { host, port, secure }: Place,
  { login }: MailServer,
  trusted: EgressDialer['trusted'],
) {
  const requireTLS = !secure && mustEncrypt(login, isPublicAddress(connection.remoteAddress ?? ''));
  return createTransport({
    host,
    port,
    secure,
    secured: secure,
    requireTLS,
    ...(trusted && { tls: { ca: [...trusted] } }),
    maxResponseSize: MAX_RESPONSE_BYTES,
    getSocket: (_options: unknown, callback: (error: Error | null, found: { connection: Socket }) => void) =>
      callback(null, { connection }),
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    // no input of a user can make it read a file or call an address
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function addressOf(recipient: string | { readonly address: string }): string {
  return typeof recipient === 'string' ? recipient : recipient.address;
}
