import { createEgressDialer, type EgressDialerOptions } from '@weft/egress';
import { connectProxy } from '@weft/testing';
import { createServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asMailFailure } from './mail-failure.js';
import { checkMailServer, sendMail } from './send-mail.js';
import type { Mail, MailServer } from './mail.js';
import { CERTIFICATE, mailServer, silentServer } from './mail-server.fixture.js';

const LOOPBACK = { cidr: '127.0.0.1/32', port: null };
const refusal = (code: string): unknown => expect.objectContaining({ name: 'LayerFailure', code });

/** Every name resolves to loopback. */
const resolve: EgressDialerOptions['resolve'] = (_name, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);

function client(options: Partial<EgressDialerOptions> = {}) {
  const dialer = createEgressDialer({ allow: [LOOPBACK], ...options });
  return {
    send: (sent: Mail) => sendMail(dialer, sent),
    check: (server: MailServer, timeoutMs: number) => checkMailServer(dialer, server, timeoutMs),
  };
}

const box = (address: string, name = '') => ({ name, address });

function mail(url: string, part: Partial<Mail> = {}, login: MailServer['login'] = null): Mail {
  return {
    server: { url, login },
    from: box('from@weft.test'),
    to: [box('a@weft.test')],
    ...{ cc: [], bcc: [], replyTo: null, attachments: [] },
    subject: 'Hello',
    timeoutMs: 5_000,
    text: 'Text',
    html: null,
    messageId: '<one@weft.test>',
    ...part,
  };
}

const local = (port: number, scheme = 'smtp') => `${scheme}://127.0.0.1:${port}`;
const LOGIN = { user: 'me', password: 'right' };

describe('a mail', () => {
  it('reaches its recipients with what was said, and nothing else', async () => {
    const { port, seen } = await mailServer();
    const sent = mail(local(port), { cc: [box('c@weft.test')], subject: 'Grüße', html: '<b>Text</b>' });
    expect(await client().send(sent)).toEqual({ accepted: ['a@weft.test', 'c@weft.test'], rejected: [] });
    expect(seen).toMatchObject([{ from: 'from@weft.test', to: ['a@weft.test', 'c@weft.test'], user: null }]);
    const [head = '', body = ''] = seen[0]?.raw.split(/\r\n\r\n(.*)/s) ?? [];
    expect(head.match(/^[\w-]+(?=:)/gm)).toEqual([
      'From',
      'To',
      'Cc',
      'Subject',
      'Message-ID',
      'Date',
      'MIME-Version',
      'Content-Type',
    ]);
    expect(head).toContain('Message-ID: <one@weft.test>');
    expect(head).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=');
    expect(body).toContain('<b>Text</b>');
  });

  it('has names, copies that nobody sees, and another address for answers', async () => {
    const { port, seen } = await mailServer();
    const sent = mail(local(port), {
      from: box('from@weft.test', 'Müller, Jörg'),
      to: [box('a@weft.test', 'Ann\r\nBcc: x@weft.test')],
      bcc: [box('b@weft.test')],
      replyTo: box('desk@weft.test'),
    });
    expect(await client().send(sent)).toEqual({ accepted: ['a@weft.test', 'b@weft.test'], rejected: [] });
    expect(seen[0]?.to).toEqual(['a@weft.test', 'b@weft.test']);
    expect(seen[0]?.raw).toMatch(/^From: =\?UTF-8\?Q\?M=C3=BCller=2C_J=C3=B6rg\?= <from@weft\.test>$/m);
    expect(seen[0]?.raw).toContain('Reply-To: desk@weft.test');
    expect(seen[0]?.raw).not.toMatch(/^Bcc:|b@weft\.test/im);
  });

  it('takes texts and files with it, byte by byte', async () => {
    const { port, seen } = await mailServer();
    const pieces = [Buffer.from([0, 255, 13, 10]), Buffer.alloc(100_000, 7)];
    const attachments = [
      { filename: 'Bericht ü.csv', contentType: 'text/csv', content: 'day,orders' },
      { filename: 'a.bin', contentType: null, content: Readable.from(pieces) },
    ];
    await client().send(mail(local(port), { attachments }));
    const raw = seen[0]?.raw ?? '';
    expect(raw).toContain("filename*0*=utf-8''Bericht%20%C3%BC.csv");
    expect(raw).toContain(Buffer.from('day,orders').toString('base64'));
    const [, encoded = ''] = /filename=a\.bin[^]*?\r\n\r\n([^]*?)\r\n--/.exec(raw) ?? [];
    expect(Buffer.from(encoded, 'base64').equals(Buffer.concat(pieces))).toBe(true);
  });

  it('fails when a file cannot be read to its end, and nothing arrives', async () => {
    const { port, seen } = await mailServer();
    async function* cut() {
      yield Buffer.alloc(100_000);
      throw new Error('gone');
    }
    const attachments = [{ filename: 'a.bin', contentType: null, content: cut() }];
    await expect(client().send(mail(local(port), { attachments }))).rejects.toEqual(refusal('invalid_args'));
    expect(seen).toEqual([]);
  });

  it('gains no header by a line break', async () => {
    const { port, seen } = await mailServer();
    await client().send(mail(local(port), { subject: 'x\r\nBcc: other@weft.test\r\n\r\nbody' }));
    expect(seen[0]?.to).toEqual(['a@weft.test']);
    expect(seen[0]?.raw).not.toMatch(/^Bcc:/im);
  });

  it('tells whom the server refused', async () => {
    const { port } = await mailServer();
    const receipt = await client().send(
      mail(local(port), { to: ['a@weft.test', 'nobody@weft.test'].map((each) => box(each)) }),
    );
    expect(receipt).toEqual({ accepted: ['a@weft.test'], rejected: ['nobody@weft.test'] });
  });

  it('fails when the server refuses everybody, and says no more than its status', async () => {
    const { port } = await mailServer();
    const sending = client().send(mail(local(port), { to: [box('nobody@weft.test')] }));
    await expect(sending).rejects.toMatchObject({ code: 'bad_status', message: '127.0.0.1 answered 550 to RCPT TO' });
  });
});

describe('a login', () => {
  it('is given to a server that asks for it', async () => {
    const { port, seen } = await mailServer({ authOptional: false });
    await client().send(mail(local(port), {}, LOGIN));
    expect(seen).toMatchObject([{ user: 'me' }]);
  });

  it('that is refused fails, without the password', async () => {
    const { port, seen } = await mailServer();
    const sending = client().send(mail(local(port), {}, { user: 'me', password: 'wrong-secret' }));
    await expect(sending).rejects.toThrow(/^127\.0\.0\.1 answered 535 to AUTH \w+$/);
    expect(seen).toEqual([]);
  });

  it('is looked at without a mail', async () => {
    const { port, seen, logins } = await mailServer();
    await client().check({ url: local(port), login: LOGIN }, 5_000);
    await expect(client().check({ url: local(port), login: { ...LOGIN, password: 'x' } }, 5_000)).rejects.toEqual(
      refusal('bad_status'),
    );
    expect([logins, seen]).toEqual([['me:right', 'me:x'], []]);
  });
});

describe('TLS', () => {
  const trusting = { resolve, ca: CERTIFICATE };

  it.each([
    ['from the first byte on', 'smtps', { secure: true }],
    ['where the server offers it', 'smtp', { disabledCommands: [] }],
  ])('is used %s, under the name that was asked for', async (_how, scheme, options) => {
    const { port, seen } = await mailServer(options);
    await client(trusting).send(mail(`${scheme}://mail.weft.test:${port}`, {}, LOGIN));
    expect(seen).toMatchObject([{ secure: true, user: 'me', servername: 'mail.weft.test' }]);
  });

  it.each(['other.weft.test', '127.0.0.1'])('is refused under another name: %s', async (name) => {
    const { port, seen, logins } = await mailServer({ secure: true });
    const sending = client(trusting).send(mail(`smtps://${name}:${port}`, {}, LOGIN));
    await expect(sending).rejects.toEqual(refusal('connect_failed'));
    expect([seen, logins]).toEqual([[], []]);
  });
});

describe('a certificate after STARTTLS', () => {
  it('that has ended is named as the reason, and no authority is asked for', () => {
    const error = Object.assign(new Error('certificate has expired'), { code: 'ESOCKET' });
    const { code, message } = asMailFailure(error, 'mail.weft.test');
    expect({ code, message }).toEqual({
      code: 'connect_failed',
      message: 'the certificate of mail.weft.test has ended: its server needs a new one',
    });
  });

  it.each([
    ['that nobody trusts', 'mail.weft.test', {}, /^the certificate of mail\.weft\.test is not trusted \(.+EGRESS_CA$/],
    [
      'for another name',
      'other.weft.test',
      { ca: CERTIFICATE },
      /^the certificate of other\.weft\.test is for another name$/,
    ],
  ])('%s is named as the reason', async (_what, host, options, message) => {
    const { port } = await mailServer({ disabledCommands: [] });
    const sending = client({ resolve, ...options }).send(mail(`smtp://${host}:${port}`, {}, LOGIN));
    await expect(sending).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('a mail through the proxy of the operator', () => {
  const far: EgressDialerOptions['resolve'] = (_name, done) => done(null, [{ address: '93.184.216.34', family: 4 }]);

  it('arrives, encrypted where the server offers it', async () => {
    const { port, seen } = await mailServer({ disabledCommands: [] });
    const proxy = { url: `http://127.0.0.1:${(await connectProxy()).port}`, target: 'address' } as const;
    const way = client({ allow: [], resolve: far, proxy, ca: CERTIFICATE });
    await way.send(mail(`smtp://mail.weft.test:${port}`, {}, LOGIN));
    expect(seen).toMatchObject([{ secure: true, user: 'me' }]);
  });

  it('does not log in unencrypted at a public server, although the proxy is near', async () => {
    const { port, logins } = await mailServer();
    const proxy = { url: `http://127.0.0.1:${(await connectProxy()).port}`, target: 'address' } as const;
    const sending = client({ allow: [], resolve: far, proxy }).send(mail(`smtp://mail.weft.test:${port}`, {}, LOGIN));
    await expect(sending).rejects.toThrow();
    expect(logins).toEqual([]);
  });
});

describe('the guard', () => {
  it('stands before mail servers, too', async () => {
    const { port, callers } = await silentServer();
    for (const url of [local(port), `smtp://localhost:${port}`, `smtps://[::ffff:127.0.0.1]:${port}`]) {
      await expect(client({ allow: [] }).send(mail(url))).rejects.toEqual(refusal('destination_blocked'));
    }
    await expect(client({ allow: [], resolve }).send(mail(`smtp://mail.weft.test:${port}`))).rejects.toEqual(
      refusal('destination_blocked'),
    );
    expect(callers).toEqual([]);
  });

  it.each(['http://127.0.0.1:25', 'mail.weft.test', 'smtp:///x'])('takes no %s for a mail server', async (url) => {
    await expect(client().send(mail(url))).rejects.toEqual(refusal('invalid_args'));
  });
});

describe('a server that says nothing', () => {
  const silent = async () => local((await silentServer()).port);

  it('is hung up on when the time is over', async () => {
    await expect(client().send(mail(await silent(), { timeoutMs: 50 }))).rejects.toEqual(refusal('timeout'));
  });

  it('is hung up on when the mail is cancelled', async () => {
    const stop = new AbortController();
    const sending = client().send(mail(await silent(), { signal: stop.signal }));
    stop.abort();
    await expect(sending).rejects.toEqual(refusal('cancelled'));
  });

  it.each([
    ['hangs up', '220 mail\r\n', 'connect_failed', '127.0.0.1 hung up before the conversation was over'],
    ['is no mail server', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'connect_failed', /does not answer as a mail server/],
  ])('that %s is named so', async (_what, greeting, code, message) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).write(greeting);
      socket.once('data', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await expect(client().send(mail(local(port)))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('fails when it is not there', async () => {
    await expect(client().send(mail('smtp://127.0.0.1:1'))).rejects.toEqual(refusal('connect_failed'));
  });
});
