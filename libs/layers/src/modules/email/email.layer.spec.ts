import { createEgressDialer } from '@weft/egress';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../../layer-context.fixture.js';
import type { Connection, LayerContext } from '../../layer-module.js';
import { email, mailServerOf } from './email.layer.js';
import { mailServer } from './mail-server.fixture.js';

const ARGS = { integrationId: 'mail', to: 'to@weft.test', subject: 'Hello', text: 'Text', from: 'from@weft.test' };
const LINK: Connection = { type: 'smtp', endpoint: 'smtps://mail.weft.test', secret: 'me@weft.test:pa:ss' };

/** Sends through a server of its own. */
async function sent(args: object, link: Partial<Connection> = {}, part: Partial<LayerContext> = {}) {
  const { port, seen } = await mailServer();
  const sockets = createEgressDialer({ allow: [{ cidr: '127.0.0.1/32', port }] });
  const connection = async () => ({
    ...LINK,
    endpoint: `smtp://127.0.0.1:${port}`,
    secret: 'me@weft.test:right',
    ...link,
  });
  const context = layerContext({ sockets, connection, ...part });
  const out = await email.run(email.argsSchema.parse({ ...ARGS, ...args }), context);
  return { out, mail: seen[0] };
}

describe('the arguments of email', () => {
  const lineBreaks = ['a@weft.test\r\nBcc: x@weft.test', 'a@weft.test\nx@weft.test'];
  const lists = ['a@weft.test, x@weft.test', 'a@weft.test;x@weft.test', '"a b"@weft.test', 'nobody'];
  const names = ['a@weft.test <b@weft.test>', 'A, B <b@weft.test>', 'A <b@weft.test', 'A <b@weft.test>, <c@weft.test>'];
  const inNames = ['A\r\nBcc: x <b@weft.test>', '<b@weft.test>', 'A <>', 'A "x" <b@weft.test>'];

  it.each([...lineBreaks, ...lists, ...names, ...inNames])(
    'take one address for each recipient and the sender, not %j',
    (text) => {
      for (const args of [
        { to: text },
        { to: [text] },
        { cc: text },
        { bcc: text },
        { from: text },
        { replyTo: text },
      ]) {
        expect(email.argsSchema.safeParse({ ...ARGS, ...args }).success).toBe(false);
      }
    },
  );

  it.each([
    ['a subject of two lines', { subject: 'a\r\nBcc: x@weft.test' }],
    ['nobody', { to: [] }],
    ['too many', { to: Array.from({ length: 100 }, (_, i) => `a${i}@weft.test`), cc: 'c@weft.test' }],
    ['no body', { text: undefined }],
    ['too many that nobody sees', { bcc: Array.from({ length: 100 }, (_, i) => `a${i}@weft.test`) }],
    ['an attachment that is nothing', { attachments: [{ name: 'a' }] }],
    ['an attachment that is both', { attachments: [{ name: 'a', text: 'x', file: { $ref: '/api/v1/payloads/1' } }] }],
    ['a text without a file name', { attachments: [{ text: 'x' }] }],
    ['a file name of two lines', { attachments: [{ name: 'a\r\nX: y', text: 'x' }] }],
    ['a content type of two lines', { attachments: [{ name: 'a', text: 'x', contentType: 'text/csv\r\nX: y' }] }],
  ])('refuse %s', (_what, args) => expect(email.argsSchema.safeParse({ ...ARGS, ...args }).success).toBe(false));
});

describe('email', () => {
  it('sends what it is told through the server of its link', async () => {
    const { out, mail } = await sent({ to: ['a@weft.test', 'no@weft.test'], cc: 'c@weft.test', html: '<p>' });
    expect(mail).toMatchObject({ from: 'from@weft.test', to: ['a@weft.test', 'c@weft.test'], user: 'me@weft.test' });
    expect(mail?.raw).toContain(`Message-ID: ${String(out.messageId)}`);
    const accepted = ['a@weft.test', 'c@weft.test'];
    expect(out).toEqual({ messageId: out.messageId, accepted, rejected: ['no@weft.test'] });
  });

  it('shows names, and attaches files of the company as they are named, 25 MB at most', async () => {
    const file = (bytes: number, filename: string | null) => ({
      ...{ $ref: '/api/v1/payloads/1', bytes, contentType: 'text/csv', filename, sha256: '' },
      read: () => Readable.from([Buffer.from('day,orders')]),
    });
    const opened: unknown[] = [];
    const files = (bytes: number) => ({
      open: async (value: unknown, where: string) => (opened.push([value, where]), file(bytes, 'figures.csv')),
      store: () => Promise.reject(new Error('not asked')),
    });
    const attachments = [{ file: { $ref: '/api/v1/payloads/1' } }, { text: 'note', name: 'note.txt' }];
    const args = { from: 'Desk <desk@weft.test>', to: 'Ann B. <a@weft.test>', attachments };
    const { out, mail } = await sent(args, {}, { files: files(10) });
    expect(opened).toEqual([[{ $ref: '/api/v1/payloads/1' }, 'attachments.0.file']]);
    expect(mail).toMatchObject({ from: 'desk@weft.test', to: ['a@weft.test'] });
    expect(out.messageId).toMatch(/@weft\.test>$/);
    expect(mail?.raw).toContain('From: Desk <desk@weft.test>');
    expect(mail?.raw).toMatch(/Content-Type: text\/csv; name=figures\.csv/);
    expect(mail?.raw).toMatch(/Content-Type: text\/plain; name=note\.txt/);
    await expect(sent(args, {}, { files: files(26_214_397) })).rejects.toMatchObject({ code: 'invalid_args' });
  });

  it('keeps its Message-ID for every attempt, and tells nothing by it', async () => {
    const ids = [(await sent({})).out.messageId, (await sent({})).out.messageId];
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{32}@weft\.test>$/);
    expect((await sent({}, {}, { idempotencyKey: 'play.1' })).out.messageId).not.toBe(ids[0]);
  });

  it.each([
    ['user:password', 'me:p:w', { user: 'me', password: 'p:w' }],
    ['a password alone, of the sender', 'pw', { user: 'from@weft.test', password: 'pw' }],
    ['a user alone, where nobody logs in', 'me:', null],
  ])('reads %s', (_what, secret, login) => {
    expect(mailServerOf({ ...LINK, secret }, 'from@weft.test')).toEqual({ url: LINK.endpoint, login });
  });

  it('sends from the user of its link when no sender is given, if that is an address', async () => {
    expect((await sent({ from: undefined })).mail?.from).toBe('me@weft.test');
    await expect(sent({ from: undefined }, { secret: 'me:pw' })).rejects.toMatchObject({ code: 'invalid_args' });
  });

  it.each([null, 'https://mail.weft.test'])('fails with a link whose endpoint is %s', async (endpoint) => {
    await expect(sent({}, { endpoint })).rejects.toMatchObject({ code: 'integration_unusable' });
  });

  it('fails with a password that the server refuses, and does not tell it', async () => {
    const failure = (await sent({}, { secret: 'me:wrong-secret' }).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ name: 'LayerFailure', code: 'bad_status' });
    expect(failure.message).not.toContain('wrong-secret');
  });
});
