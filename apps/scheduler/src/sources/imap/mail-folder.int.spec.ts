import { createEgressDialer } from '@weft/egress';
import { dialerTo, heldBytes, mailServer, PRIVATE_CA, rawServer, type MailServer } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceFault } from '../source.js';
import { inFolder, type MailFolder, type MailPlace } from './mail-folder.js';

const LOOPBACK = { cidr: '127.0.0.1/32', port: null };
const never = new AbortController().signal;
let server: MailServer;

beforeAll(async () => {
  server = await mailServer();
});
afterAll(() => server.stop());

function placeOf(more: Partial<MailPlace> = {}): MailPlace {
  return { host: '127.0.0.1', port: server.port, secure: false, login: server.user, folder: 'orders', ...more };
}

const dialer = createEgressDialer({ allow: [LOOPBACK], ca: PRIVATE_CA });

function ask<T>(read: (folder: MailFolder) => Promise<T>, more: Partial<MailPlace> = {}): Promise<T> {
  return inFolder(dialer, placeOf({ host: 'localhost', ...more }), { timeoutMs: 30_000, signal: never }, read);
}

async function faultOf(asked: Promise<unknown>): Promise<SourceFault> {
  const fault = await asked.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(SourceFault);
  return fault as SourceFault;
}

describe('a folder of a mail server', () => {
  it('is read from one UID to another, encrypted, and left as it is', async () => {
    await server.newFolder('orders');
    const uids = await server.put('orders', ['Subject: 1\r\n\r\none', 'Subject: 2\r\n\r\ntwo']);
    const read = await ask(async (folder) => {
      const heads = await folder.heads(1, folder.nextUid - 1);
      const [first, second] = heads;
      const rest = await folder.heads((first?.uid ?? 0) + 1, folder.nextUid + 100);
      return {
        ...folder,
        found: heads,
        rest,
        source: await folder.source(second?.uid ?? 0),
        gone: await folder.source(7_777),
      };
    });
    expect(read.found.map(({ uid }) => uid)).toEqual(uids);
    expect(read.found[0]).toMatchObject({ bytes: 17, at: expect.any(Date) as unknown });
    expect(read.rest.map(({ uid }) => uid)).toEqual([uids[1]]);
    expect(read.source?.toString()).toBe('Subject: 2\r\n\r\ntwo');
    expect(read.gone).toBeNull();
    expect(read.nextUid).toBe((uids[1] ?? 0) + 1);
  });

  it('has another validity when it was made anew', async () => {
    await server.newFolder('orders');
    const before = await ask(async ({ validity }) => validity);
    await server.newFolder('orders');
    expect(await ask(async ({ validity }) => validity)).not.toBe(before);
  });

  it('says what is wrong, and nothing that the server said', async () => {
    const wrong = { login: { user: 'weft', pass: 'canary-secret' } };
    const refused = await faultOf(ask(async () => null, wrong));
    expect(refused).toMatchObject({ code: 'unauthenticated' });
    expect(refused.message).not.toContain('canary');
    expect(await faultOf(ask(async () => null, { folder: 'no such' }))).toMatchObject({ code: 'not_found' });
    const elsewhere = createEgressDialer({ allow: [LOOPBACK] });
    const untrusted = inFolder(elsewhere, placeOf(), { timeoutMs: 30_000, signal: never }, async () => null);
    expect(await faultOf(untrusted)).toMatchObject({ code: 'connect_failed' });
  });

  it('is not asked for at an address that may not be called', async () => {
    const guarded = createEgressDialer({ allow: [] });
    const asked = inFolder(guarded, placeOf(), { timeoutMs: 30_000, signal: never }, async () => null);
    expect(await faultOf(asked)).toMatchObject({ code: 'destination_blocked' });
  });
});

/** Lets anybody in, and then answers as the spec says. */
function talks(answer: (line: string, tag: string) => string | Buffer | null, greeting = '* OK hi\r\n') {
  return rawServer((socket, data) => {
    for (const line of data.toString('latin1').split('\r\n').filter(Boolean)) {
      const [tag = '', command = ''] = line.split(' ');
      const own = answer(line, tag);
      if (own !== null) socket.write(own);
      else if (command === 'SELECT' || command === 'EXAMINE')
        socket.write(
          `* 1 EXISTS\r\n* OK [UIDVALIDITY 1] v\r\n* OK [UIDNEXT 900000] n\r\n${tag} OK [READ-ONLY] done\r\n`,
        );
      else socket.write(`${command === 'CAPABILITY' ? '* CAPABILITY IMAP4rev1\r\n' : ''}${tag} OK done\r\n`);
    }
  }, Buffer.from(greeting));
}

describe('a hostile mail server', () => {
  const askAt = async (port: number, read: (folder: MailFolder) => Promise<unknown>, timeoutMs = 30_000) => {
    const limits = { timeoutMs, signal: never };
    return faultOf(inFolder(dialerTo(port), { ...placeOf(), host: 'mail.example' }, limits, read));
  };

  it('that says nothing keeps nobody waiting longer than is allowed', async () => {
    const silent = await rawServer(() => undefined);
    expect(await askAt(silent.port, async () => null, 300)).toMatchObject({ code: 'timeout' });
  });

  it('that hangs up is a fault', async () => {
    const gone = await rawServer((socket) => socket.destroy(), Buffer.from('* OK hi\r\n'));
    expect(await askAt(gone.port, async () => null)).toMatchObject({ code: 'connect_failed' });
  });

  it('that is none is a fault', async () => {
    const web = await rawServer(
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      Buffer.from('SSH-2.0-x\r\n'),
    );
    expect(['connect_failed', 'timeout', 'bad_status']).toContain(
      (await askAt(web.port, async () => null, 2_000)).code,
    );
  });

  it('that announces a mail of a gigabyte makes nobody hold it', async () => {
    const { port } = await talks((line, tag) =>
      line.includes('FETCH') ? `* 1 FETCH (UID 5 BODY[] {1073741824}\r\n${tag}` : null,
    );
    expect(await askAt(port, (folder) => folder.source(5))).toMatchObject({ code: 'answer_too_large' });
  });

  it('that sends a line without end is cut off', async () => {
    const piece = Buffer.alloc(1024 * 1024, 0x61);
    const { port } = await talks((line) =>
      line.includes('FETCH') ? Buffer.concat([Buffer.from('* 1 FETCH (UID '), piece, piece]) : null,
    );
    expect(await askAt(port, (folder) => folder.heads(1, 10))).toMatchObject({ code: 'answer_too_large' });
  });

  it('that tells of mails nobody asked for adds none', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `* ${i + 1} FETCH (UID ${i + 100} RFC822.SIZE 1)\r\n`).join(
      '',
    );
    const { port } = await talks((line, tag) => (line.includes('FETCH') ? `${rows}${tag} OK done\r\n` : null));
    const limits = { timeoutMs: 30_000, signal: never };
    const heads = await inFolder(dialerTo(port), { ...placeOf(), host: 'mail.example' }, limits, (f) =>
      f.heads(105, 107),
    );
    expect(heads.map(({ uid }) => uid)).toEqual([105, 106, 107]);
    const other = await inFolder(dialerTo(port), { ...placeOf(), host: 'mail.example' }, limits, (f) => f.source(99));
    expect(other).toBeNull();
  });

  it('that talks without end is left when the time is over, with nothing of it held', async () => {
    // of long lines, which cost little: some 30 MB in the time that it has
    const row = Buffer.from(`* 1 FETCH (UID 1 RFC822.SIZE 1)\r\n* OK ${'x'.repeat(60_000)}\r\n`.repeat(5));
    const server = await rawServer((socket, data) => {
      const [tag = '', command = ''] = data.toString('latin1').split(' ');
      if (command === 'EXAMINE' || command === 'SELECT') {
        const more = () => socket.writable && socket.write(row, () => setImmediate(more));
        more();
      } else socket.write(`* CAPABILITY IMAP4rev1\r\n${tag} OK done\r\n`);
    }, Buffer.from('* OK hi\r\n'));
    const before = heldBytes('heapUsed');
    expect(await askAt(server.port, async () => null, 500)).toMatchObject({ code: 'timeout' });
    expect(heldBytes('heapUsed') - before).toBeLessThan(8 * 1024 * 1024);
  });
});
