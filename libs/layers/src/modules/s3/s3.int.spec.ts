import { filePath, type FileValue } from '@weft/contracts';
import type { LinkSettings } from '@weft/shapes';
import { createEgressClient, type EgressClient, type EgressRequest } from '@weft/egress';
import { s3Server } from '@weft/testing';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { checkConnection } from '../../check-connection.js';
import { layerContext } from '../../layer-context.fixture.js';
import type { Connection, LayerContext, LayerFiles, Output } from '../../layer-module.js';
import { s3 } from './s3.layer.js';

/** A server that checks each signature with Amazon's own library. */
const server = await s3Server({ buckets: ['bucket', 'other'] });
const http = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: server.port }] });
afterAll(() => http.close());

const ENDPOINT = `http://127.0.0.1:${server.port}`;
const SETTINGS: LinkSettings = { region: 'eu-central-1', service: 's3' };

function link(part: Partial<Connection> = {}, secrets: object = server.keys): Connection {
  const secret = JSON.stringify(secrets);
  return { type: 's3', endpoint: ENDPOINT, secret, kind: 'aws_sigv4', settings: SETTINGS, ...part };
}

/** Files in memory. */
class Files implements LayerFiles {
  readonly kept = new Map<string, { readonly value: FileValue; readonly content: Buffer }>();

  open: LayerFiles['open'] = async (value) => {
    const found = this.kept.get((value as FileValue).$ref);
    if (!found) throw new Error('no such file');
    return { ...found.value, read: () => Readable.from([found.content.subarray(0, 7), found.content.subarray(7)]) };
  };

  store: LayerFiles['store'] = async (content, label) => {
    const bytes = await buffer(Readable.from(content));
    const $ref = filePath(String(this.kept.size).padStart(24, '0'));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const value = { $ref, bytes: bytes.byteLength, sha256, ...label };
    this.kept.set($ref, { value, content: bytes });
    return value;
  };

  contentOf(value: unknown): Buffer | undefined {
    return this.kept.get((value as FileValue).$ref)?.content;
  }
}
const files = new Files();

async function run(args: object, connection = link(), part: Partial<LayerContext> = {}): Promise<Output> {
  const context = layerContext({ http, files, connection: async () => connection, ...part });
  const out = await s3.run(s3.argsSchema.parse({ integrationId: 'storage', bucket: 'bucket', ...args }), context);
  expect(s3.outSchema.parse(out)).toEqual(out);
  return out;
}

const KEYS = ['plain.txt', 'a b/ü ሴ.txt', "it's+(odd)*!&=?#%41;:@$,~.txt", '/begins/with//slashes/', '%2Fencoded'];

describe('an object', () => {
  it.each(KEYS)('is put, looked at, fetched and deleted under any key: %s', async (key) => {
    const put = await run({ op: 'put', key, body: { content: 'Grüße', contentType: 'text/plain' } });
    expect(put).toMatchObject({
      bucket: 'bucket',
      key,
      bytes: 7,
      etag: createHash('md5').update('Grüße').digest('hex'),
    });
    const facts = {
      bytes: 7,
      contentType: 'text/plain',
      etag: put.etag,
      lastModified: expect.stringMatching(/Z$/) as string,
    };
    expect(await run({ op: 'head', key })).toMatchObject(facts);
    const got = await run({ op: 'get', key });
    expect(got).toMatchObject({
      ...facts,
      key,
      file: { bytes: 7, contentType: 'text/plain', filename: key.split('/').at(-1) || null },
    });
    expect(files.contentOf(got.file)?.toString()).toBe('Grüße');
    expect(await run({ op: 'list', prefix: key })).toMatchObject({
      items: [{ key, bytes: 7, etag: put.etag }],
      next: null,
    });
    expect(await run({ op: 'delete', key })).toMatchObject({ key });
    await expect(run({ op: 'head', key })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes from a stored file and into one, byte by byte, and is never held whole', async () => {
    const content = randomBytes(3_000_000);
    const value = await files.store(Readable.from([content]), { contentType: 'image/png', filename: 'a.png' });
    expect(await run({ op: 'put', key: 'large', body: value })).toMatchObject({ bytes: content.byteLength });
    const got = await run({ op: 'get', key: 'large' }, link(), {
      whole: () => Promise.reject(new Error('held whole')),
    });
    expect(got).toMatchObject({ contentType: 'image/png', file: { sha256: value.sha256 } });
    expect(files.contentOf(got.file)?.equals(content)).toBe(true);
  });

  it('is put once where it must not exist', async () => {
    const once = { op: 'put', key: 'once', body: 'first', ifNoneMatch: '*' };
    await run(once);
    await expect(run({ ...once, body: 'second' })).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(files.contentOf((await run({ op: 'get', key: 'once' })).file)?.toString()).toBe('first');
  });

  it('is copied, also from another bucket', async () => {
    const key = 'from here/ü+1';
    const { etag } = await run({ op: 'put', bucket: 'other', key, body: { base64: 'AAEC' } });
    expect(await run({ op: 'copy', key: 'copied', from: { bucket: 'other', key } })).toMatchObject({
      key: 'copied',
      etag,
    });
    expect(await run({ op: 'copy', key: 'again', from: { key: 'copied' } })).toMatchObject({ etag });
    await expect(run({ op: 'copy', key: 'x', from: { key: 'nobody' } })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a list', () => {
  it('comes in parts, each after the one before', async () => {
    const keys = ['l/a', 'l/b c', 'l/d+e', 'l/ü'];
    for (const key of keys) await run({ op: 'put', key, body: 'x' });
    const found: unknown[] = [];
    const { paging } = s3;
    let args = s3.argsSchema.parse({
      integrationId: 'i',
      op: 'list',
      bucket: 'bucket',
      prefix: 'l/',
      max: 3,
      paginate: {},
    });
    const first = args;
    for (let calls = 0; calls < 3; calls += 1) {
      const page = paging?.pageOf(await run({ ...args })) ?? {};
      found.push((page.items as Output[]).map(({ key }) => key));
      const next = paging?.following(first, args, page, {});
      if (!next) break;
      expect(paging?.identityOf(next)).not.toEqual(paging?.identityOf(args));
      args = next;
    }
    expect(found).toEqual([keys.slice(0, 3), keys.slice(3)]);
    expect(paging?.following(first, args, { items: [], next: 'more' }, { until: true })).toBeNull();
  });

  it('of nothing is empty', async () => {
    expect(await run({ op: 'list', prefix: 'nothing/' })).toEqual({ bucket: 'bucket', items: [], next: null });
    await expect(run({ op: 'list', bucket: 'nobodys' })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('bucket "nobodys" (NoSuchBucket)') as string,
      out: { statusCode: 404, awsCode: 'NoSuchBucket' },
    });
  });
});

describe('a link', () => {
  it('with other keys is refused, and says with which code', async () => {
    const wrong = { ...server.keys, secret_access_key: `${server.keys.secret_access_key}x` };
    await expect(run({ op: 'put', key: 'k', body: 'x' }, link({}, wrong))).rejects.toMatchObject({
      code: 'bad_status',
      message: expect.stringMatching(
        /^127\.0\.0\.1:\d+ answered 403 \(SignatureDoesNotMatch\): the secret access key/,
      ) as string,
      out: { statusCode: 403, awsCode: 'SignatureDoesNotMatch' },
    });
    await expect(run({ op: 'list' }, link({}, { ...wrong, access_key_id: 'AKIANOBODY' }))).rejects.toMatchObject({
      out: { awsCode: 'InvalidAccessKeyId' },
    });
  });

  it('of another kind or service, without region or without http cannot be used', async () => {
    for (const part of [
      { kind: 'bearer' as const },
      { settings: { service: 's3' } },
      { settings: { ...SETTINGS, service: 'sqs' } },
      { endpoint: 'smtp://mail.example' },
      { endpoint: null, settings: { ...SETTINGS, region: 'auto' } },
      { endpoint: `http://127.0.0.1:${server.port}`, settings: { ...SETTINGS, path_style: false } },
      { secret: 'no names' },
    ]) {
      await expect(run({ op: 'list' }, link(part))).rejects.toMatchObject({ code: 'integration_unusable' });
    }
  });

  it('reaches nothing that a web request cannot', async () => {
    const closed = createEgressClient({ allow: [] });
    await expect(run({ op: 'list' }, link(), { http: closed })).rejects.toMatchObject({ code: 'destination_blocked' });
    await closed.close();
  });

  it('is tested: an endpoint for its buckets, Amazon for whose the keys are', async () => {
    const ways = { http, sockets: layerContext().sockets };
    const host = `127.0.0.1:${server.port}`;
    expect(await checkConnection(link(), ways)).toEqual({ ok: true, detail: `${host} took the keys.` });
    const wrong = link({}, { ...server.keys, secret_access_key: 'wrong' });
    expect(await checkConnection(wrong, ways)).toEqual({
      ok: false,
      detail: expect.stringContaining(
        `${host} does not take the keys: it answered 403 (SignatureDoesNotMatch): `,
      ) as string,
    });
    // signed for STS, whatever the service of the link is; this client answers in the place of Amazon
    const asked: EgressRequest[] = [];
    const request: EgressClient['request'] = async (each) => {
      asked.push(each);
      return { statusCode: 200, headers: {}, body: Buffer.from('<GetCallerIdentityResponse/>'), url: each.url };
    };
    const amazon = await checkConnection(link({ endpoint: null }), { ...ways, http: { ...http, request } });
    expect(amazon).toEqual({ ok: true, detail: 'sts.eu-central-1.amazonaws.com took the keys.' });
    expect(asked[0]).toMatchObject({
      url: 'https://sts.eu-central-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15',
      headers: { Authorization: expect.stringContaining('/eu-central-1/sts/aws4_request') as string },
    });
    // what takes any request and is not S3
    const other = async () => ({ statusCode: 200, headers: {}, body: Buffer.from('<html/>'), url: ENDPOINT });
    expect(await checkConnection(link(), { ...ways, http: { ...http, request: other } })).toEqual({
      ok: false,
      detail: `${host} answered 200 with something that is not from S3.`,
    });
    expect(await checkConnection(link({ settings: { ...SETTINGS, service: 'sqs' } }), ways)).toBeNull();
  });
});

describe('an address for others', () => {
  it('is the one that Amazon’s library makes, for each key and both methods', async () => {
    const before = Date.now();
    const get = { op: 'presign', expiresIn: 600 };
    const put = { ...get, method: 'PUT', contentType: 'text/csv' };
    const made = await Promise.all(KEYS.flatMap((key) => [get, put].map((args) => run({ ...args, key }))));
    const known = await server.python(
      `"\\n".join([${made.map(({ url }, i) => signedInPython(String(url), i % 2 === 0 ? {} : { method: 'PUT', headers: { 'content-type': 'text/csv' } })).join(', ')}])`,
    );
    expect(known.split('\n')).toHaveLength(2 * KEYS.length);
    for (const [i, other] of known.split('\n').entries()) {
      const { url, expiresAt } = made[i] ?? {};
      const [ours, theirs] = [String(url), other].map((text) => [...new URL(text).searchParams].toSorted());
      expect(ours).toEqual(theirs);
      expect(Date.parse(String(expiresAt))).toBeGreaterThanOrEqual(before + 600_000);
      expect(Date.parse(String(expiresAt))).toBeLessThanOrEqual(Date.now() + 600_000);
    }
  });
});

/** The same address, signed at the same time by the library, which itself takes the time of day. */
function signedInPython(
  address: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: object },
): string {
  const { access_key_id, secret_access_key } = server.keys;
  const text = (value: unknown): string => JSON.stringify(value);
  const stamp = new URL(address).searchParams.get('X-Amz-Date');
  const auth = `S3SigV4QueryAuth(Credentials(${text(access_key_id)}, ${text(secret_access_key)}), "s3", "eu-central-1", expires=600)`;
  const request = `AWSRequest(method=${text(method)}, url=${text(address.split('?')[0])}, headers=${text(headers)})`;
  return [
    '(lambda auth, request: (',
    `request.context.__setitem__("timestamp", ${text(stamp)}), `,
    'auth._modify_request_before_signing(request), ',
    'auth._inject_signature_to_request(request, auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)), ',
    `request.url)[-1])(${auth}, ${request})`,
  ].join('');
}
