import { createEgressDialer } from '@weft/egress';
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
  const lists = ['a@weft.test, x@weft.test', 'A <a@weft.test>', 'a@weft.test;x@weft.test', '"a b"@weft.test', 'nobody'];

  it.each([...lineBreaks, ...lists])('take one address for each recipient and the sender, not %j', (text) => {
    for (const args of [{ to: text }, { to: [text] }, { cc: text }, { from: text }]) {
      expect(email.argsSchema.safeParse({ ...ARGS, ...args }).success).toBe(false);
    }
  });

  it.each([
    ['a subject of two lines', { subject: 'a\r\nBcc: x@weft.test' }],
    ['nobody', { to: [] }],
    ['too many', { to: Array.from({ length: 100 }, (_, i) => `a${i}@weft.test`), cc: 'c@weft.test' }],
    ['no body', { text: undefined }],
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
