import { EgressError, type EgressRequest, type EgressResponse } from '@weft/egress';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { validateLayer } from '../../validate-layer.js';
import { layerContext } from '../../layer-context.fixture.js';
import type { Connection, LayerContext, Output } from '../../layer-module.js';
import { errorIn, readAnswer } from './answer.js';
import { s3 } from './s3.layer.js';

const KEYS = {
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'secret key of the link',
  session_token: 'token/of+the/link',
};

function link(part: Partial<Connection> = {}): Connection {
  const settings = { region: 'eu-central-1', service: 's3' };
  return { type: 's3', endpoint: null, kind: 'aws_sigv4', secret: JSON.stringify(KEYS), settings, ...part };
}

type Answer = Partial<EgressResponse> | string;

/** What the module says and sends, to a peer that gives these answers in their order; the last one again. */
async function play(args: object, answers: readonly Answer[] = [''], by = link(), part: Partial<LayerContext> = {}) {
  const sent: EgressRequest[] = [];
  const request = async (asked: EgressRequest): Promise<EgressResponse> => {
    const given = answers[Math.min(sent.push(asked), answers.length) - 1] ?? '';
    const answer = typeof given === 'string' ? { body: Buffer.from(given) } : given;
    return { statusCode: 200, headers: {}, body: Buffer.alloc(0), url: asked.url, ...answer };
  };
  const http = { request, close: async () => undefined };
  const context = layerContext({ http, connection: async () => by, ...part });
  const parsed = s3.argsSchema.parse({ integrationId: 'i', bucket: 'reports', key: 'a/b c', ...args });
  const settled = await Promise.resolve(s3.run(parsed, context)).then(
    (out) => ({ out, failure: null }),
    (failure: unknown) => ({ out: null, failure }),
  );
  return { ...settled, sent };
}

const error = (statusCode: number, xml: string, headers = {}): Answer => ({
  statusCode,
  headers,
  body: Buffer.from(`<?xml version="1.0"?><Error>${xml}</Error>`),
});

describe('the address of an object', () => {
  const addressOf = async (part: Partial<Connection>, args: object = {}) =>
    (await play({ op: 'head', ...args }, [''], link(part))).sent[0]?.url;
  const settings = { region: 'eu-central-1', service: 's3' };

  it('has the bucket in its host at Amazon, and in its path at an endpoint of its own', async () => {
    expect(await addressOf({})).toBe('https://reports.s3.eu-central-1.amazonaws.com/a/b%20c');
    expect(await addressOf({ settings: { ...settings, region: 'cn-north-1' } })).toBe(
      'https://reports.s3.cn-north-1.amazonaws.com.cn/a/b%20c',
    );
    const endpoint = 'https://storage.example:9000/s3/';
    expect(await addressOf({ endpoint })).toBe('https://storage.example:9000/s3/reports/a/b%20c');
    expect(await addressOf({ endpoint, settings: { ...settings, path_style: false } })).toBe(
      'https://reports.storage.example:9000/s3/a/b%20c',
    );
    expect(await addressOf({ settings: { ...settings, path_style: true } })).toBe(
      'https://s3.eu-central-1.amazonaws.com/reports/a/b%20c',
    );
  });

  it('has a bucket in its path whose name cannot be part of a host', async () => {
    for (const bucket of ['with.dots', 'Upper', 'under_score']) {
      expect(await addressOf({}, { bucket })).toBe(`https://s3.eu-central-1.amazonaws.com/${bucket}/a/b%20c`);
    }
  });
});

describe('a bucket in another region of Amazon', () => {
  const elsewhere = { statusCode: 301, headers: { 'x-amz-bucket-region': 'us-west-2' } };
  const atHost = (sent: readonly EgressRequest[]) => sent.map(({ url }) => new URL(url).host);
  const [here, there] = ['eu-central-1', 'us-west-2'].map((region) => `reports.s3.${region}.amazonaws.com`);

  it.each([
    ['in a header', elsewhere],
    ['in the error', error(400, '<Code>AuthorizationHeaderMalformed</Code><Region>us-west-2</Region>')],
  ])('is asked there once, with a signature for it, when Amazon says so %s', async (_where, answer) => {
    const { out, sent } = await play({ op: 'head' }, [answer, { headers: { etag: '"e"' } }]);
    expect(out).toMatchObject({ etag: 'e' });
    expect(atHost(sent)).toEqual([here, there]);
    expect(sent[1]?.headers?.Authorization).toContain('/us-west-2/s3/aws4_request');
    expect(sent.every(({ maxRedirects }) => maxRedirects === 0)).toBe(true);
  });

  it('is not asked a third time, nor at a host that somebody made up', async () => {
    const again = await play({ op: 'head' }, [elsewhere]);
    expect(atHost(again.sent)).toEqual([here, there]);
    expect(again.failure).toMatchObject({ code: 'bad_status', out: { statusCode: 301 } });
    const evil = await play({ op: 'head' }, [{ ...elsewhere, headers: { 'x-amz-bucket-region': 'evil.example/' } }]);
    expect(atHost(evil.sent)).toEqual([here]);
  });

  it('is not asked there by a link with an endpoint: its message says what to set', async () => {
    const { failure, sent } = await play({ op: 'head' }, [elsewhere], link({ endpoint: 'https://storage.example' }));
    expect(sent).toHaveLength(1);
    expect(failure).toMatchObject({
      code: 'bad_status',
      message: 'storage.example answered 301; the bucket is in the region us-west-2: set it in the integration',
    });
  });
});

describe('an answer', () => {
  it.each([
    [error(404, '<Code>NoSuchKey</Code>'), 'not_found', /no such object \(NoSuchKey\)/],
    [{ statusCode: 404 }, 'not_found', /no such object\.$/],
    [error(412, '<Code>PreconditionFailed</Code>'), 'precondition_failed', /already/],
    [error(403, '<Code>RequestTimeTooSkewed</Code>'), 'clock_skewed', /another time/],
    [
      error(403, '<Code>AccessDenied</Code>'),
      'bad_status',
      /answered 403 \(AccessDenied\): these keys may not do this$/,
    ],
    [error(503, '<Code>SlowDown</Code>'), 'bad_status', /answered 503 \(SlowDown\)$/],
    [error(400, `<Code>${'x'.repeat(200)} </Code>`), 'bad_status', /answered 400$/],
    [{ statusCode: 502, body: Buffer.from('<html><Code>No</Code>') }, 'bad_status', /answered 502$/],
  ])('that refuses has a code and keeps its status: %#', async (answer, code, message) => {
    const { failure } = await play({ op: 'get' }, [answer]);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) as string });
    const { statusCode } = answer as { statusCode: number };
    expect(failure).toMatchObject({ out: { statusCode }, answer: { statusCode } });
    expect((failure as Error).message).not.toContain('b c');
  });

  it('to head says where a reason is', async () => {
    const { failure } = await play({ op: 'head' }, [{ statusCode: 403 }]);
    expect((failure as Error).message).toMatch(/answered 403; an answer to head says no reason/);
  });

  it('with a success that says that the copy failed is a failure which may pass', async () => {
    const { failure } = await play({ op: 'copy', from: { key: 'x' } }, [error(200, '<Code>InternalError</Code>')]);
    expect(failure).toMatchObject({ code: 'bad_status', statusCode: 500, out: { awsCode: 'InternalError' } });
  });

  it('that is not a list is not taken for an empty one', async () => {
    for (const answer of [
      '',
      '{}',
      '<html/>',
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    ]) {
      const { failure } = await play({ op: 'list', key: undefined }, [answer]);
      expect(failure, answer).toMatchObject({ code: 'invalid_output' });
    }
  });

  it('is a list whose keys are what they are, encoded or not', async () => {
    const listed = (encoding: string) =>
      `<a:ListBucketResult xmlns:a="x"><IsTruncated>true</IsTruncated>${encoding}<Contents><Key>a+b%20&lt;c&#x41;</Key><Size>1</Size><ETag>&quot;e&quot;</ETag><Owner><ID>7</ID></Owner></Contents></a:ListBucketResult>`;
    const keyOf = async (encoding: string) => {
      const { out, sent } = await play({ op: 'list', key: undefined, prefix: 'a b' }, [listed(encoding)]);
      expect(sent[0]?.url).toBe(
        'https://reports.s3.eu-central-1.amazonaws.com/?list-type=2&encoding-type=url&prefix=a%20b',
      );
      return out as Output;
    };
    const entry = { bytes: 1, etag: 'e', lastModified: null };
    expect(await keyOf('')).toMatchObject({ items: [{ ...entry, key: 'a+b%20<cA' }], next: 'a+b%20<cA' });
    expect(await keyOf('<EncodingType>url</EncodingType>')).toMatchObject({ items: [{ ...entry, key: 'a b <cA' }] });
  });

  it('may be made to take long, or have names that every object has: it does no harm', () => {
    expect(readAnswer(Buffer.from('<Error><__proto__>x</__proto__></Error>')).top.get('__proto__')).toBe('x');
    // each end that fits nothing is searched for among all that is open
    const deep = Buffer.from(`<Error>${'<a>'.repeat(1_000_000)}${'</b>'.repeat(1_000_000)}`);
    expect(readAnswer(deep).root).toBeNull();
    const attributes = Buffer.from(
      `<Error ${Array.from({ length: 700_000 }, (_, i) => `a${i}=""`).join(' ')}><Code>A</Code></Error>`,
    );
    expect(errorIn(attributes).awsCode).toBe('A');
    const entities = `<!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><Error><Code>&b;</Code><Message>&b;</Message></Error>`;
    expect(readAnswer(Buffer.from(entities)).top.get('Message')).toBe('&b;');
    const items = (count: number) => Buffer.from(`<Error>${'<a/>'.repeat(count)}</Error>`);
    expect([readAnswer(items(1_000), 'a').root, readAnswer(items(1_001), 'a').root]).toEqual(['Error', null]);
  });

  it('that the client refuses keeps its code', async () => {
    const whole = () => Promise.reject(new EgressError('output_too_large', 'too large'));
    for (const args of [{ op: 'list', key: undefined }, { op: 'put', body: 'x' }, { op: 'delete' }]) {
      const { failure } = await play(args, [''], link(), { whole });
      expect(failure).toMatchObject({ name: 'LayerFailure', code: 'output_too_large' });
    }
  });

  it('that repeats a secret does not show it', async () => {
    const peer = { headers: { etag: KEYS.session_token, 'x-amz-version-id': KEYS.secret_access_key } };
    const { out } = await play({ op: 'head' }, [peer]);
    expect(out).toMatchObject({ etag: '[secret]', versionId: '[secret]' });
  });
});

describe('what is put', () => {
  it('says its digest, its type, and that it must be new', async () => {
    const { sent, out } = await play({ op: 'put', body: 'Grüße', ifNoneMatch: '*' }, [{ headers: { etag: '"e"' } }]);
    expect(out).toEqual({ bucket: 'reports', key: 'a/b c', bytes: 7, etag: 'e', versionId: null });
    expect(sent[0]).toMatchObject({
      method: 'PUT',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-amz-checksum-sha256': createHash('sha256').update('Grüße').digest('base64'),
        'if-none-match': '*',
      },
    });
  });

  it('is a file, a text, or bytes, of at most 64 MB', async () => {
    for (const body of [7, ['x'], { base64: '!' }, {}]) {
      expect((await play({ op: 'put', body })).failure).toMatchObject({ code: 'invalid_args' });
    }
    const file = { $ref: '/x', bytes: 70_000_000, contentType: 'a/b', filename: null, sha256: 'ab' };
    const read = () => {
      throw new Error('it is not read');
    };
    const open = async () => ({ ...file, read });
    const { failure, sent } = await play({ op: 'put', body: file }, [''], link(), {
      files: { ...layerContext().files, open },
    });
    expect(failure).toMatchObject({ code: 'invalid_args', message: expect.stringContaining('70000000') as string });
    expect(sent).toEqual([]);
  });
});

describe('arguments', () => {
  const faultsOf = (args: object) =>
    validateLayer({
      ...{ appId: 's3', when: null, forEach: null, retry: null, timeoutMs: null, onInterrupted: 'repeat' },
      args: { integrationId: 'i', bucket: 'reports', ...args },
    }).map(({ path, message }) => `${path}: ${message}`);

  it.each([
    [{ op: 'get' }, 'args.key: args.key is required'],
    [{ op: 'put', key: 'k' }, 'args.body: args.body is required'],
    [{ op: 'copy', key: 'k' }, 'args.from: args.from is required'],
    [{ op: 'get', key: 'k', prefix: 'p' }, 'args.prefix: args.prefix: get takes no prefix'],
    [{ op: 'list', key: 'k' }, 'args.key: args.key: list takes no key'],
    [{ op: 'get', key: 'k', paginate: {} }, 'args.paginate: args.paginate: get takes no paginate'],
    [
      { op: 'presign', key: 'k', contentType: 'a/b' },
      'args.contentType: args.contentType: presign of a GET takes no contentType',
    ],
  ])('that an operation needs, or does not take, are named: %j', (args, fault) => {
    expect(faultsOf(args)).toEqual([fault]);
  });

  it.each([
    { op: 'get', key: 'a/../b' },
    { op: 'get', key: '.' },
    { op: 'get', key: 'a\nb' },
    { op: 'get', key: 'ü'.repeat(600) },
    { op: 'get', key: 'k', bucket: 'a/b' },
    { op: 'get', key: 'k', bucket: 'evil.example?' },
    { op: 'presign', key: 'k', expiresIn: 604_801 },
    { op: 'rename', key: 'k' },
  ])('that no address can have are refused: %j', (args) => {
    expect(faultsOf(args)).toHaveLength(1);
  });

  it('may be known by the run only', () => {
    expect(faultsOf({ op: 'get', key: '{{ .list.items[0].key }}', bucket: '{{ $blueprint.bucket }}' })).toEqual([]);
  });
});
