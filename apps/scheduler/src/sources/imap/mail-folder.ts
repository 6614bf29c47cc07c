/** A folder of a mail server, read over a guarded socket: the mail library neither resolves nor connects. A server may be anybody's. */
import { TimeLimit } from '@weft/concurrency';
import { isPublicAddress, startTls, type EgressDialer } from '@weft/egress';
import { ImapFlow, type ImapTransport } from 'imapflow';
import type { Socket } from 'node:net';
import { asImapFault } from './imap-fault.js';

/** Of one mail, as it was sent. */
export const MOST_MAIL_BYTES = 25 * 1024 * 1024;
/** Around the mail. */
const MARGIN_BYTES = 256 * 1024;
const MOST_LINE_BYTES = 1024 * 1024;
const MOST_TOKENS = 20_000;
const QUIET_MS = 30_000;

export interface MailPlace {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS, which a server on the internet must have. */
  readonly secure: boolean;
  readonly login: MailLogin;
  readonly folder: string;
}

export type MailLogin = { readonly user: string } & ({ readonly pass: string } | { readonly accessToken: string });

export interface MailHead {
  readonly uid: number;
  readonly bytes: number;
  readonly at: Date | null;
}

export interface MailFolder {
  /** As long as it stays the same, a UID names one mail for ever (RFC 3501 §2.3.1.1). */
  readonly validity: string;
  /** Each mail that is there has a lower UID. */
  readonly nextUid: number;
  /** Those from a UID to another, in their order. */
  heads(from: number, to: number): Promise<MailHead[]>;
  /** As it was sent; null: it is not there any more. */
  source(uid: number): Promise<Buffer | null>;
}

export interface MailLimits {
  /** Of the whole conversation. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Opens the folder so that nothing in it changes, and closes the connection afterwards.
 *
 * @throws SourceFault
 */
export async function inFolder<T>(
  sockets: EgressDialer,
  place: MailPlace,
  { timeoutMs, signal: outer }: MailLimits,
  read: (folder: MailFolder) => Promise<T>,
): Promise<T> {
  const { host, port, secure } = place;
  const over = new AbortController();
  const limit = new TimeLimit(timeoutMs, () => over.abort());
  const signal = AbortSignal.any([over.signal, outer]);
  let client: ImapFlow | undefined;
  let socket: Socket | undefined;
  /** Why the conversation ended: the command that was under way only says that it did. */
  let end: Error | undefined;
  const hangUp = (): void => {
    client?.close();
    socket?.destroy();
  };
  signal.addEventListener('abort', hangUp);
  try {
    socket = await sockets.dial({ host, port, tls: secure, timeoutMs, signal });
    signal.throwIfAborted();
    client = clientOver(socket, place, sockets.trusted);
    client.on('error', (error: Error) => (end ??= error));
    await client.connect();
    return await read(await opened(client, place.folder));
  } catch (error) {
    outer.throwIfAborted();
    throw asImapFault(end ?? error, place, over.signal.aborted ? timeoutMs : null);
  } finally {
    limit.end();
    signal.removeEventListener('abort', hangUp);
    hangUp();
  }
}

function clientOver(socket: Socket, place: MailPlace, trusted: EgressDialer['trusted']): ImapFlow {
  const { host, port, secure, login: auth } = place;
  const transport: ImapTransport = {
    connect: (_options, onConnect) => {
      setImmediate(onConnect);
      return socket;
    },
    upgrade: (_plain, _options, onSecure) =>
      startTls(socket, { host, trusted, check: 'verify' }).once('secureConnect', onSecure),
  };
  const mustEncrypt = !secure && isPublicAddress(socket.remoteAddress ?? '');
  return new ImapFlow({
    ...{ host, port, secure, auth, transport, logger: false },
    ...(mustEncrypt && { doSTARTTLS: true }),
    clientInfo: { name: 'weft' },
    // a conversation is short, and what the server sends has its size
    ...{ disableAutoIdle: true, disableCompression: true, disableAutoEnable: true },
    ...{ greetingTimeout: QUIET_MS, connectionTimeout: QUIET_MS, socketTimeout: QUIET_MS },
    ...{ maxLiteralSize: MOST_MAIL_BYTES, maxResponseSize: MOST_MAIL_BYTES + MARGIN_BYTES },
    ...{ maxLineLength: MOST_LINE_BYTES, maxResponseTokens: MOST_TOKENS },
  });
}

async function opened(client: ImapFlow, folder: string): Promise<MailFolder> {
  const { uidValidity, uidNext } = await client.mailboxOpen(folder, { readOnly: true });
  return {
    validity: String(uidValidity),
    nextUid: uidNext,
    async heads(from, to) {
      const found = new Map<number, MailHead>();
      const asked = client.fetch(`${from}:${to}`, { uid: true, size: true, internalDate: true }, { uid: true });
      for await (const { uid, size = 0, internalDate } of asked) {
        // a server may say more than it was asked for
        if (!(uid >= from && uid <= to)) continue;
        const at = new Date(internalDate ?? Number.NaN);
        found.set(uid, { uid, bytes: size, at: Number.isNaN(at.getTime()) ? null : at });
      }
      return [...found.values()].toSorted((a, b) => a.uid - b.uid);
    },
    async source(uid) {
      const found = await client.fetchOne(String(uid), { uid: true, source: true }, { uid: true });
      return found && found.uid === uid ? (found.source ?? null) : null;
    },
  };
}
