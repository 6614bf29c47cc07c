import type { FileValue } from '@weft/contracts';
import type { Connection } from '@weft/layers';
import type { PayloadStore } from '@weft/store';
import { mailServer, type MailServer } from '@weft/testing';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerOf } from '../poll/polled.fixture.js';
import { proveSource } from '../source.contract.js';
import { egressTo } from '../source-egress.fixture.js';
import { SourceFault, type Source, type SourceBatch } from '../source.js';
import { MOST_MAILS } from './folder-source.js';
import { ImapSource } from './imap-source.js';
import { placeOf } from './mail-place.js';

const NEVER = new AbortController().signal;
let server: MailServer;
let link: Connection;
const files: { readonly text: string; readonly by: string; readonly contentType: string }[] = [];

/** The store of files of users, in memory. */
const payloads = {
  userFiles: {
    take: async (_scope: unknown, content: AsyncIterable<Uint8Array>, label: { by: string; contentType: string }) => {
      files.push({ ...label, text: (await buffer(content)).toString() });
      const file: FileValue = { $ref: `/files/${files.length}`, bytes: 4, filename: 'a.csv', sha256: '', ...label };
      return { ...file, expiresAt: new Date() };
    },
  },
} as unknown as PayloadStore;

beforeAll(async () => {
  server = await mailServer();
  const { user, pass } = server.user;
  const endpoint = `imap://localhost:${server.port}`;
  link = { type: 'imap', kind: 'basic', endpoint, secret: `${user}:${pass}` };
});
afterAll(() => server.stop());

const source = () => new ImapSource(egressTo({ mail: link }), payloads);
const mail = (n: number) => `From: a@example.com\r\nSubject: ${n}\r\n\r\n{"n":${n}}`;
let made = 0;

proveSource('a folder of a mail server', async () => {
  const folder = `contract-${(made += 1)}`;
  await server.newFolder(folder);
  const kind = source();
  return {
    // the contract reads the numbers that it has put
    kind: {
      open: kind.open.bind(kind),
      read: (message) => ({
        headers: {},
        value: { n: Number((kind.read(message) as unknown as Read).value.subject) },
      }),
    },
    source: { integrationId: 'mail', folder, everySeconds: 0.02 },
    shards: ['mails'],
    mostInBatch: MOST_MAILS,
    put: async (values) => {
      await server.put(
        folder,
        values.map((value) => mail((value as { readonly n: number }).n)),
      );
    },
  };
});

interface Read {
  readonly key: string;
  readonly timestamp: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function open(folder: string, start = 'earliest', cursors: ReadonlyMap<string, string> = new Map()): Promise<Source> {
  const trigger = triggerOf({ integrationId: 'mail', folder, everySeconds: 0.02, start });
  return source().open({ trigger, cursors, signal: NEVER });
}

async function next(from: Source): Promise<SourceBatch> {
  for (;;) {
    const batch = await from.next(NEVER);
    if (batch) return batch;
  }
}

describe('a folder of a mail server', () => {
  it('gives a mail with its texts and its attachments as files, by its UID', async () => {
    await server.newFolder('invoices');
    const parts = ['Content-Type: multipart/mixed; boundary=X', '', '--X', 'Content-Type: text/plain', '', 'hello'];
    const file = [
      '--X',
      'Content-Type: text/csv',
      'Content-Disposition: attachment; filename=a.csv',
      '',
      'a,b',
      '--X--',
    ];
    const [uid] = await server.put('invoices', [
      ['Subject: Invoice', 'MIME-Version: 1.0', ...parts, ...file].join('\r\n'),
    ]);
    files.length = 0;
    const from = await open('invoices');
    const { messages } = await next(from);
    const read = source().read(messages[0] as never) as unknown as Read;
    expect(read.key).toMatch(new RegExp(`^\\d+:${uid}$`));
    expect(read.timestamp).toMatch(/^20\d\d-/);
    expect(read.value).toMatchObject({
      subject: 'Invoice',
      text: expect.stringContaining('hello') as unknown,
      attachments: [{ $ref: '/files/1', contentType: 'text/csv' }],
    });
    expect(files).toMatchObject([{ by: 'u', text: expect.stringContaining('a,b') as unknown }]);
    await from.close();
  });

  it('says what was lost when the folder was made anew, and goes on', async () => {
    await server.newFolder('anew');
    await server.put('anew', [mail(1)]);
    const from = await open('anew');
    await next(from);
    await server.newFolder('anew');
    await server.put('anew', [mail(2)]);
    expect(await next(from)).toMatchObject({ messages: [], lost: expect.stringContaining('UIDVALIDITY') as unknown });
    await server.put('anew', [mail(3)]);
    const { messages } = await next(from);
    expect(messages.map((each) => (source().read(each) as unknown as Read).value.subject)).toEqual(['3']);
    await from.close();
  });

  it('gives a mail that cannot be read with why, and goes on', async () => {
    await server.newFolder('hostile');
    const nested = Array.from(
      { length: 100 },
      (_, i) => `Content-Type: multipart/mixed; boundary=B${i}\r\n\r\n--B${i}\r\n`,
    );
    await server.put('hostile', [nested.join(''), mail(2)]);
    const from = await open('hostile');
    const values = (await next(from)).messages.map((each) => (source().read(each) as unknown as Read).value);
    expect(values).toMatchObject([
      { unreadable: expect.stringContaining('cannot be read') as unknown },
      { subject: '2' },
    ]);
    await from.close();
  });
});

describe('a link to a mail server', () => {
  const of = (more: Partial<Connection>, user?: string) =>
    placeOf({ type: 'imap', kind: 'basic', endpoint: 'imaps://mail.example', secret: 'me:a:b', ...more }, { user });

  it('says where it is, and who asks', () => {
    const place = { host: 'mail.example', secure: true, port: 993, folder: 'INBOX' };
    expect(of({})).toEqual({ ...place, login: { user: 'me', pass: 'a:b' } });
    expect(of({ endpoint: 'imap://mail.example:1430' })).toMatchObject({ port: 1430, secure: false });
    expect(of({ kind: 'oauth2', secret: 'token' }, 'me@x')).toMatchObject({
      login: { user: 'me@x', accessToken: 'token' },
    });
  });

  it.each([
    ['leads to no mail server', { endpoint: 'https://mail.example' }, undefined],
    ['leads nowhere', { endpoint: null }, undefined],
    ['has a token of nobody', { kind: 'oauth2' }, undefined],
    ['has no token and no password', { kind: 'hmac' }, 'me'],
  ] as const)('that %s cannot be used', (_what, more, user) => {
    expect(() => of(more, user)).toThrow(SourceFault);
  });
});
