import type { StoredVerifier } from '@weft/records';
import { newSecret, Signer } from '@weft/webhooks';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from './signature-scheme.js';
import { isVerified, schemesOf, type VerifierSecrets } from './verify-delivery.js';
import { isKeyText } from './verify-signature.js';

interface Vector {
  readonly type: string;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Unix seconds of the signature. */
  readonly at: number;
  readonly url?: string;
}

const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
  '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
  '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN' +
  '&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';

const hmac = (secret: string, text: string): Buffer => createHmac('sha256', secret).update(text).digest();

/**
 * What the services publish. Where one publishes its scheme and no complete example, the signature is computed here by the scheme as it
 * is described; Shopify, which signs the body alone, has RFC 4231's test case 2.
 */
const VECTORS: Readonly<Record<string, Vector>> = {
  'the example of Standard Webhooks': {
    type: 'standard',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    at: 1_614_265_330,
  },
  'the example of GitHub': {
    type: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    at: 0,
  },
  'the example of Slack': {
    type: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: SLACK_BODY,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    at: 1_531_420_618,
  },
  'the scheme of Stripe': {
    type: 'stripe',
    secret: 'whsec_test_secret',
    body: '{"id":"evt_1"}',
    headers: {
      'stripe-signature':
        `t=1492774577,v1=${'0'.repeat(64)},` +
        `v1=${hmac('whsec_test_secret', '1492774577.{"id":"evt_1"}').toString('hex')},v0=${'6'.repeat(64)}`,
    },
    at: 1_492_774_577,
  },
  'the example of Svix': {
    type: 'svix',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    at: 1_614_265_330,
  },
  'the example of GitHub, whose scheme Meta has': {
    type: 'meta',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    at: 0,
  },
  'the scheme of Dropbox': {
    type: 'dropbox',
    secret: 'secret of the app',
    body: '{"list_folder":{"accounts":["dbid:1"]}}',
    headers: {
      'x-dropbox-signature': hmac('secret of the app', '{"list_folder":{"accounts":["dbid:1"]}}').toString('hex'),
    },
    at: 0,
  },
  'the scheme of Calendly': {
    type: 'calendly',
    secret: 'key-of-calendly',
    body: '{"event":"invitee.created"}',
    headers: {
      'calendly-webhook-signature': `t=1492774577,v1=${hmac('key-of-calendly', '1492774577.{"event":"invitee.created"}').toString('hex')}`,
    },
    at: 1_492_774_577,
  },
  'the scheme of Paddle, with two signatures': {
    type: 'paddle',
    secret: 'pdl_ntfset_1',
    body: '{"event_id":"evt_1"}',
    headers: {
      'paddle-signature': `ts=1671552777;h1=${'0'.repeat(64)};h1=${hmac('pdl_ntfset_1', '1671552777:{"event_id":"evt_1"}').toString('hex')}`,
    },
    at: 1_671_552_777,
  },
  'the example of Twilio': {
    type: 'twilio',
    secret: '12345',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    body: 'Digits=1234&CallSid=CA1234567890ABCDE&From=%2B12349013030&To=%2B18005551212&Caller=%2B12349013030',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'x-twilio-signature': '0/KCTR6DLpKmkAf8muzZqo1nDgQ=',
    },
    at: 0,
  },
  'the example of the libraries of Twilio': {
    type: 'twilio',
    secret: '12345',
    url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    body: 'CallSid=CA1234567890ABCDE&Digits=1234&From=%2B14158675309&To=%2B18005551212&Caller=%2B14158675309',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
    },
    at: 0,
  },
  'the scheme of Twilio for JSON, with its published digest': {
    type: 'twilio',
    secret: '12345',
    url: 'https://example.com/myapp?bodySHA256=5ccde7145dfb8f56479710896586cb9d5911809d83afbe34627818790db0aec9',
    body: '{"CallSid":"CA1234567890ABCDE","Caller":"+12349013030"}',
    headers: { 'content-type': 'application/json', 'x-twilio-signature': 'hPXmLwIy3Fgqv1i9KPmH/HhQ6zo=' },
    at: 0,
  },
  'the example of RFC 4231 for Shopify': {
    type: 'shopify',
    secret: 'Jefe',
    body: 'what do ya want for nothing?',
    headers: { 'x-shopify-hmac-sha256': 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=' },
    at: 0,
  },
};

const judge = (
  { type, body, headers, at }: Omit<Vector, 'secret'>,
  secrets: readonly string[],
  more: { verifier?: StoredVerifier; secrets?: VerifierSecrets; url?: string | undefined } = {},
): boolean =>
  isVerified(
    more.verifier ?? { type },
    more.secrets ?? { secrets },
    { headers, body: Buffer.from(body), url: more.url ?? 'https://weft.test/hooks/t' },
    at * 1_000,
  );

const OTHER_WHSEC = 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe.each(Object.entries(VECTORS))('%s', (_name, vector) => {
  const { secret } = vector;
  const more = { url: vector.url };
  const other = secret.startsWith('whsec_Mf') ? OTHER_WHSEC : `${secret}x`;

  it('is verified, also while the secret is rotated', () => {
    expect(judge(vector, [secret], more)).toBe(true);
    expect(judge(vector, [other, secret], more)).toBe(true);
  });

  it('is not with another secret, body, or signature, and not without one', () => {
    expect(judge(vector, [other], more)).toBe(false);
    expect(judge(vector, [], more)).toBe(false);
    expect(judge({ ...vector, body: `${vector.body} ` }, [secret], more)).toBe(false);
    if (vector.url !== undefined) expect(judge(vector, [secret], { url: `${vector.url}&` })).toBe(false);
    expect(judge({ ...vector, headers: {} }, [secret], more)).toBe(false);
    for (const name of Object.keys(vector.headers).filter((each) => each !== 'content-type')) {
      const text = vector.headers[name] as string;
      // not the last letters of Base64: some of their bits mean nothing
      const changed = text.replace(/[0-9](?=[^0-9]*.{3}$)/, (digit) => String((Number(digit) + 1) % 10));
      const cut = [text.slice(0, -2), '', changed].filter((each) => !each.includes('v0=') || vector.type === 'slack');
      for (const each of cut)
        expect(judge({ ...vector, headers: { ...vector.headers, [name]: each } }, [secret], more)).toBe(false);
    }
  });

  it('is not outside of five minutes, where it has a time', () => {
    const isTimed = vector.at > 0;
    const at = (seconds: number) => judge({ ...vector, at: vector.at + seconds }, [secret], more);
    for (const seconds of [-301, 301]) expect(at(seconds)).toBe(!isTimed);
    for (const seconds of [-300, 300]) expect(at(seconds)).toBe(true);
  });
});

describe('a token that a sender was given', () => {
  const judged = (verifier: StoredVerifier, token: string, headers: object, body: string | Buffer = ''): boolean =>
    isVerified(verifier, { token }, { headers: { ...headers }, body: Buffer.from(body), url: '' }, 0);

  it('is compared in the header that has it: of GitLab, of Telegram', () => {
    expect(judged({ type: 'gitlab' }, 'of gitlab', { 'x-gitlab-token': 'of gitlab' })).toBe(true);
    const telegram = { type: 'token', header: 'x-telegram-bot-api-secret-token' };
    expect(judged(telegram, 'of telegram', { [telegram.header]: 'of telegram' })).toBe(true);
    for (const sent of ['of gitla', 'of gitlab ', '', undefined])
      expect(judged({ type: 'gitlab' }, 'of gitlab', { 'x-gitlab-token': sent })).toBe(false);
    expect(judged({ type: 'gitlab' }, '', { 'x-gitlab-token': '' })).toBe(false);
  });

  it('is compared in each notification of Microsoft Graph', () => {
    const of = (...states: unknown[]) => JSON.stringify({ value: states.map((clientState) => ({ clientState })) });
    const graph = (body: string | Buffer) => judged({ type: 'msgraph' }, 'state of ours', {}, body);
    expect(graph(of('state of ours', 'state of ours'))).toBe(true);
    for (const body of [of(), of('state of ours', 'another'), of(7), '{"value":[{}]}', '{"value":{}}', '[', ''])
      expect(graph(body), body).toBe(false);
    expect(graph(Buffer.alloc(1024 * 1024, '['))).toBe(false);
  });

  it('is a JWT of monday.com, signed with the secret of the app and not over', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const jwt = (claims: object, secret: string, head: object = { alg: 'HS256', typ: 'JWT' }) => {
      const signed = `${part(head)}.${part(claims)}`;
      return `${signed}.${hmac(secret, signed).toString('base64url')}`;
    };
    const sent = (authorization: string | undefined, secrets: readonly string[] = ['other', 'of the app']) =>
      isVerified(
        { type: 'monday' },
        { secrets },
        { headers: { authorization }, body: Buffer.alloc(0), url: '' },
        5_000,
      );
    expect(sent(jwt({ exp: 6 }, 'of the app'))).toBe(true);
    expect(sent(`Bearer ${jwt({}, 'of the app')}`)).toBe(true);
    const refused = [jwt({ exp: 5 }, 'of the app'), jwt({}, 'of nobody'), jwt({}, 'of the app', { alg: 'none' })];
    for (const each of [...refused, 'a.b.c', `${jwt({}, 'of the app')}.x`, '', undefined])
      expect(sent(each)).toBe(false);
    expect(sent(undefined, [])).toBe(true); // webhooks of boards are not signed: the address alone is known
  });
});

describe('a delivery that the library standardwebhooks signs', () => {
  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', Buffer.from('x'.repeat(64)).toString('base64')])(
    'is verified with %s',
    (secret) => {
      const [id, at, body] = ['msg_1', 1_700_000_000, '{"größe":"✓"}'];
      const signature = new Webhook(secret).sign(id, new Date(at * 1_000), body);
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1a,AAAA ${signature}`,
      };
      expect(judge({ type: 'standard', body, headers, at }, [secret])).toBe(true);
      expect(judge({ type: 'standard', body, headers: { ...headers, 'webhook-id': 'msg_2' }, at }, [secret])).toBe(
        false,
      );
    },
  );
});

describe('a delivery that is signed with Ed25519', () => {
  const [id, at, body] = ['msg_1', 1_700_000_000, '{"größe":"✓"}'];
  const message = { id, timestamp: at, body: Buffer.from(body) };
  const [mine, other] = [newSecret('v1a'), newSecret('v1a')];
  const sent = (signature: string) => ({
    ...{ type: 'standard', body, at },
    headers: { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature },
  });

  it('is verified with the public key of the sender, beside other signatures and secrets', () => {
    const signature = new Signer([mine.secret]).sign(message);
    expect(signature).toMatch(/^v1a,/);
    expect(judge(sent(signature), [mine.shown])).toBe(true);
    expect(judge(sent(`v1,AAAA v1a,AAAA ${signature}`), [other.shown, newSecret('v1').shown, mine.shown])).toBe(true);
    const others = Array.from({ length: 2 }, () => new Signer([other.secret]).sign(message));
    expect(judge(sent([others[0], signature].join(' ')), [mine.shown])).toBe(true);
    expect(judge(sent([...others, signature].join(' ')), [mine.shown])).toBe(false);
    expect(judge(sent(signature), [other.shown])).toBe(false);
    expect(judge({ ...sent(signature), body: `${body} ` }, [mine.shown])).toBe(false);
    expect(judge({ ...sent(signature), at: at + 301 }, [mine.shown])).toBe(false);
    expect(judge(sent(signature.replace('v1a,', 'v1,')), [mine.shown])).toBe(false);
  });

  it('is not verified with the public key as if it were a shared secret', () => {
    const text = `${id}.${at}.${body}`;
    for (const key of [mine.shown, mine.shown.slice('whpk_'.length)].map((each) => Buffer.from(each, 'base64'))) {
      const forged = createHmac('sha256', key).update(text).digest('base64');
      expect(judge(sent(`v1,${forged}`), [mine.shown])).toBe(false);
    }
    const scheme = schemesOf({ type: 'standard' })[0] as SignatureScheme;
    expect(isKeyText(scheme, mine.shown)).toBe(true);
    expect(isKeyText(scheme, mine.shown.slice(0, -4))).toBe(false);
  });
});

describe('a scheme of one’s own', () => {
  it('has its time and its signature in parts of one header, or signs the address', () => {
    const parts = { algorithm: 'sha256', encoding: 'hex', id_header: null, timestamp_header: null };
    const verifier = {
      ...{ type: 'hmac', header: 'x-sig', ...parts, prefix: 's=', template: '{timestamp}|{body}' },
      ...{ separator: ';', timestamp_prefix: 'at=', tolerance_seconds: 60 },
    };
    const headers = { 'x-sig': `at=1700000000;s=${hmac('key of ours', '1700000000|x').toString('hex')}` };
    const sent = { type: 'hmac', body: 'x', headers, at: 1_700_000_000 };
    expect(judge(sent, [], { verifier, secrets: { secrets: ['key of ours'] } })).toBe(true);
    expect(judge({ ...sent, at: 1_700_000_061 }, [], { verifier, secrets: { secrets: ['key of ours'] } })).toBe(false);
    // as Trello signs
    const url = 'https://weft.test/hooks/t?a=1';
    const trello = { ...verifier, algorithm: 'sha1', encoding: 'base64', prefix: '', template: '{body}{url}' };
    const own = { ...trello, timestamp_prefix: null, tolerance_seconds: null };
    const signature = createHmac('sha1', 'key of ours').update(`x${url}`).digest('base64');
    const signed = { ...sent, headers: { 'x-sig': signature } };
    expect(judge(signed, [], { verifier: own, secrets: { secrets: ['key of ours'] }, url })).toBe(true);
    expect(judge(signed, [], { verifier: own, secrets: { secrets: ['key of ours'] } })).toBe(false);
  });

  const generic = {
    type: 'hmac',
    ...{
      header: 'x-signature',
      algorithm: 'sha512',
      encoding: 'base64url',
      prefix: '',
      template: '{timestamp}\n{body}',
    },
    ...{ id_header: null, timestamp_header: 'x-time', tolerance_seconds: 10 },
  };

  it('is verified over bytes that are no text', () => {
    const body = Buffer.from([0xff, 0x00, 0xfe]);
    const signature = createHmac('sha512', 'key of ours').update('1700000000\n').update(body).digest('base64url');
    const headers = { 'x-signature': signature, 'x-time': '1700000000' };
    const judged = (secret: string, nowMs: number): boolean =>
      isVerified(generic, { secrets: [secret] }, { headers, body, url: '' }, nowMs);
    expect(judged('key of ours', 1_700_000_005_000)).toBe(true);
    expect(judged('key of others', 1_700_000_005_000)).toBe(false);
    expect(judged('key of ours', 1_700_000_011_000)).toBe(false);
  });

  it('looks at no more than a few signatures', () => {
    const signature = hmac('key of ours', 'x').toString('hex');
    const fields = { ...generic, algorithm: 'sha256', encoding: 'hex', template: '{body}', timestamp_header: null };
    const of = (text: string): boolean =>
      judge({ type: 'hmac', body: 'x', headers: { 'x-signature': text }, at: 0 }, [], {
        verifier: { ...fields, tolerance_seconds: null },
        secrets: { secrets: ['key of ours'] },
      });
    expect(of(`${'0'.repeat(64)} ${signature}`)).toBe(true);
    expect(of(`${`${'0'.repeat(64)} `.repeat(20)}${signature}`)).toBe(false);
  });
});

describe('a credential in the header Authorization', () => {
  const judged = (verifier: StoredVerifier, secrets: VerifierSecrets, authorization?: string): boolean =>
    isVerified(verifier, secrets, { headers: { authorization }, body: Buffer.alloc(0), url: '' }, 0);

  it('is compared whole', () => {
    const basic = { type: 'basic', username: 'shop' };
    const of = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    expect(judged(basic, { password: 'pass:word' }, of('shop:pass:word'))).toBe(true);
    for (const text of ['shop:pass', 'shop:pass:word ', 'Shop:pass:word', ':', '']) {
      expect(judged(basic, { password: 'pass:word' }, of(text))).toBe(false);
    }
    expect(judged({ type: 'bearer' }, { token: 'abc' }, 'bearer abc')).toBe(true);
    for (const text of ['Bearer abd', 'Bearer ab', 'abc', 'Basic abc', '', undefined]) {
      expect(judged({ type: 'bearer' }, { token: 'abc' }, text)).toBe(false);
    }
  });

  it('is not needed of type none, and of no use with a type that this version does not know', () => {
    expect(judged({ type: 'none' }, {})).toBe(true);
    expect(judged({ type: 'of tomorrow' }, { token: 'abc' }, 'Bearer abc')).toBe(false);
  });
});
