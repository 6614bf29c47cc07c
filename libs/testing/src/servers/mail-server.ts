import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { freePort } from '#tools/servers/index.mjs';
import { findPymap } from '#tools/servers/find-python-server.mjs';
import { PEER_EXAMPLE } from '../private-authority.js';
import { scratchFolder } from '../test-run.js';
import { waitFor } from '../wait-for.js';
import { spawnCommand } from './spawn-process.js';

const READY_WITHIN_MS = 60_000;
const USER = { user: 'weft', pass: 'a password of specs' };

/** IMAP (pymap) on the loopback address, with STARTTLS by the certificate of `PRIVATE_CA` for localhost. It has one user. */
export interface MailServer {
  readonly port: number;
  readonly user: typeof USER;
  /** Makes an empty folder, in the place of one with the name. */
  newFolder(name: string): Promise<void>;
  /** @returns the UIDs of the mails */
  put(folder: string, mails: readonly string[]): Promise<number[]>;
  stop(): Promise<void>;
}

/** @throws Error why pymap is not there, and what to do: a spec that needs it fails */
export async function mailServer(): Promise<MailServer> {
  const { file, args, env } = await findPymap({ env: process.env, log: (line) => process.stderr.write(`${line}\n`) });
  const port = await freePort();
  const cwd = scratchFolder('pymap');
  const [cert, key] = (['cert', 'key'] as const).map((name) => {
    const path = join(cwd, `${name}.pem`);
    writeFileSync(path, PEER_EXAMPLE[name], { mode: 0o600 });
    return path;
  });
  const tls = ['--cert', cert ?? '', '--key', key ?? ''];
  const command = {
    ...{ file, cwd, port, env: { ...process.env, ...env } },
    args: [...args(port), ...tls, 'dict', '--demo-user', USER.user, '--demo-password', USER.pass],
  };
  const server = await spawnCommand('pymap', command, 0);
  const asUser = async <T>(work: (client: ImapFlow) => Promise<T>): Promise<T> => {
    const client = new ImapFlow({ host: '127.0.0.1', port, auth: USER, logger: false, doSTARTTLS: false });
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.close();
    }
  };
  const isReady = () => asUser(async () => true).catch(() => !server.isRunning());
  await waitFor(isReady, { what: 'pymap to be ready', withinMs: READY_WITHIN_MS });
  if (!server.isRunning()) throw new Error(`pymap ended before it was ready. It said:\n${server.output()}`);
  return {
    port,
    user: USER,
    newFolder: (name) =>
      asUser(async (client) => {
        await client.mailboxDelete(name).catch(() => undefined);
        await client.mailboxCreate(name);
      }),
    put: (folder, mails) =>
      asUser(async (client) => {
        const uids: number[] = [];
        for (const mail of mails) {
          const put = await client.append(folder, mail);
          if (!put || put.uid === undefined) throw new Error(`pymap took no mail for ${folder}`);
          uids.push(put.uid);
        }
        return uids;
      }),
    stop: () => server.kill(),
  };
}
