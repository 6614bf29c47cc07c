import { EgressError, type Mail } from '@weft/egress';
import { describe, expect, it } from 'vitest';
import { layerContext } from '../layer-context.fixture.js';
import type { Connection, LayerContext } from '../layer-module.js';
import { email } from './email.layer.js';

const ARGS = { integrationId: 'mail', to: 'to@weft.test', subject: 'Hello', text: 'Text', from: 'from@weft.test' };
const link = (part: Partial<Connection> = {}) => ({
  connection: async () => ({ type: 'smtp', endpoint: 'smtps://mail.weft.test', secret: 'me@weft.test:pa:ss', ...part }),
});

async function sent(args: object, part: Partial<LayerContext> = link()) {
  const mails: Mail[] = [];
  const mail = {
    send: async (one: Mail) => {
      mails.push(one);
      return { accepted: one.to, rejected: [] };
    },
    check: async () => undefined,
  };
  const out = await email.run(email.argsSchema.parse({ ...ARGS, ...args }), layerContext({ mail, ...part }));
  return { out, mail: mails[0] };
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
    const { out, mail } = await sent({ to: ['a@weft.test', 'b@weft.test'], cc: 'c@weft.test', html: '<p>' });
    expect(mail).toMatchObject({
      server: { url: 'smtps://mail.weft.test', login: { user: 'me@weft.test', password: 'pa:ss' } },
      ...{ from: 'from@weft.test', to: ['a@weft.test', 'b@weft.test'], cc: ['c@weft.test'], text: 'Text', html: '<p>' },
    });
    expect(out).toEqual({ messageId: mail?.messageId, accepted: ['a@weft.test', 'b@weft.test'], rejected: [] });
    expect(JSON.stringify(out)).not.toContain('pa:ss');
  });

  it('keeps its Message-ID for every attempt, and tells nothing by it', async () => {
    const ids = [(await sent({})).out.messageId, (await sent({})).out.messageId];
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^<[0-9a-f]{32}@weft\.test>$/);
    expect((await sent({}, { ...link(), idempotencyKey: 'play.1' })).out.messageId).not.toBe(ids[0]);
  });

  it.each([
    ['user:password', { secret: 'me:pw' }, { user: 'me', password: 'pw' }],
    ['a password alone, of the sender', { secret: 'pw' }, { user: 'from@weft.test', password: 'pw' }],
    ['a user alone, where nobody logs in', { secret: 'me:' }, null],
  ])('reads %s', async (_what, secret, login) => {
    expect((await sent({}, link(secret))).mail?.server.login).toEqual(login);
  });

  it('sends from the user of its link when no sender is given, if that is an address', async () => {
    expect((await sent({ from: undefined })).mail?.from).toBe('me@weft.test');
    await expect(sent({ from: undefined }, link({ secret: 'me:pw' }))).rejects.toMatchObject({ code: 'invalid_args' });
  });

  it.each([null, 'https://mail.weft.test'])('fails with a link whose endpoint is %s', async (endpoint) => {
    await expect(sent({}, link({ endpoint }))).rejects.toMatchObject({ code: 'integration_unusable' });
  });

  it('fails as the way out does', async () => {
    const mail = {
      send: () => Promise.reject(new EgressError('destination_blocked', 'mail.weft.test is blocked')),
      check: async () => undefined,
    };
    const run = email.run(email.argsSchema.parse(ARGS), layerContext({ mail, ...link() }));
    await expect(run).rejects.toMatchObject({ name: 'LayerFailure', code: 'destination_blocked' });
  });
});
