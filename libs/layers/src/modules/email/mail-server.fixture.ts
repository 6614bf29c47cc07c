import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach } from 'vitest';

/** For `mail.weft.test`, self-signed; it is used only by servers in specs. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBpTCCAUqgAwIBAgIUZdzFXJlyUu1pWsXnKsWaN3Qxo70wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwObWFpbC53ZWZ0LnRlc3QwIBcNMjYxMTIxMTgwMTAwWhgPMjEy
NjEwMjgxODAxMDBaMBkxFzAVBgNVBAMMDm1haWwud2VmdC50ZXN0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE/oyzVjW7WaAu2eQn+8KW8QxM78VyeqXthJi6non2
Vt+4+c4S3eKRveT6yHwOCQe3S/xLZ+moGoWQ5FUDcAZSEKNuMGwwHQYDVR0OBBYE
FCQhzX47F6YXWBQqrtjYAy3lIykaMB8GA1UdIwQYMBaAFCQhzX47F6YXWBQqrtjY
Ay3lIykaMA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIObWFpbC53ZWZ0LnRl
c3QwCgYIKoZIzj0EAwIDSQAwRgIhAI0R+NUjSYre2SGk/llP4DhFR0sU68Es9xLU
6FuUhVsqAiEA+lFTjoxX9+h+/1pCtnbHf7eJ3bf1WQ8wUQZDM7zKiqo=
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRfTFC/7ZV+cbkCUL
ix5hXKvj0FMG8eo4RACU/X1TwLyhRANCAAT+jLNWNbtZoC7Z5Cf7wpbxDEzvxXJ6
pe2EmLqeifZW37j5zhLd4pG95PrIfA4JB7dL/Etn6agahZDkVQNwBlIQ
-----END PRIVATE KEY-----`;

export interface MailSeen {
  /** The message as it was sent. */
  readonly raw: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | null;
  readonly secure: boolean;
  readonly servername: string | null;
}

export interface LocalMailServer {
  readonly port: number;
  readonly seen: readonly MailSeen[];
  /** The login attempts. */
  readonly logins: readonly string[];
}

const servers: SMTPServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise<void>((resolve) => server.close(resolve))));
});

/** A mail server on loopback; it refuses addresses that begin with `no`. Closed after the test. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<LocalMailServer> {
  const seen: MailSeen[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    key: KEY,
    cert: CERTIFICATE,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    disableReverseLookup: true,
    onAuth: ({ username = '', password = '' }, _session, done) => {
      logins.push(`${username}:${password}`);
      done(password === 'right' ? null : new Error('Invalid login'), { user: username });
    },
    onRcptTo: ({ address }, _session, done) => {
      done(address.startsWith('no') ? Object.assign(new Error(`no such box ${address}`), { responseCode: 550 }) : null);
    },
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope;
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        seen.push({
          raw: Buffer.concat(chunks).toString('utf8'),
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: typeof session.user === 'string' ? session.user : null,
          secure: session.secure,
          servername: (session as { servername?: string }).servername ?? null,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  servers.push(server);
  return { port: (listening.address() as AddressInfo).port, seen, logins };
}

/** Accepts connections and sends nothing. */
export async function silentServer(): Promise<{ readonly port: number; readonly callers: readonly string[] }> {
  const callers: string[] = [];
  const { port } = await mailServer({ onConnect: ({ remoteAddress }) => void callers.push(remoteAddress) });
  return { port, callers };
}
