import { isS3, isStreamed, presigned, rfc3986, sha256Of, type EgressResponse } from '@weft/egress';
import { isTruthy } from '@weft/expressions';
import { isFields } from '@weft/kernel';
import { createHash } from 'node:crypto';
import { ofEgress } from '../../call/failure.js';
import { signingOf } from '../../call/link-secrets.js';
import {
  LayerFailure,
  type Connection,
  type LayerContext,
  type Output,
  type Paging,
  type WorkingModule,
} from '../../layer-module.js';
import { storeFile } from '../web-request/file-body.js';
import { contentOf, type Content } from '../web-request/request-body.js';
import { addressOf } from './address.js';
import { bytesOf, etagOf, listIn, readAnswer, timeOf } from './answer.js';
import { MAX_OBJECT_BYTES, s3Args, s3Out, type S3Args } from './args.js';
import { assertCopied, sendToS3, type S3Request } from './send.js';

/** Of all answers but objects: 1,000 items of the longest keys. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const DEFAULT_EXPIRY_SECONDS = 3_600;
const BYTES = 'application/octet-stream';
const NO_BODY = sha256Of('');
const KIND = 'aws_sigv4';
const READING: readonly S3Args['op'][] = ['get', 'head', 'list'];

const paging: Paging<S3Args> = {
  option: 'paginate',
  expressions: [{ path: 'until', isCondition: true }],
  most: ({ paginate }) => paginate?.maxPages ?? null,
  identityOf: ({ bucket, prefix, after, max }) => [bucket, prefix ?? null, after ?? null, max ?? null],
  pageOf: ({ items, next }) => ({ items, next }),
  following(first, _args, page, found) {
    return typeof page.next !== 'string' || isTruthy(found.until) ? null : { ...first, after: page.next };
  },
};

/**
 * Reads and writes objects of S3, and of what speaks like it, with a link that signs. Fails with the codes of the egress client and
 * of an unusable link, with `not_found`, `precondition_failed`, `clock_skewed`, and with `bad_status` for all other refusals, whose
 * output has the code of S3. Messages contain the host, and no key.
 */
export const s3: WorkingModule<S3Args> = {
  appId: 's3',
  title: 'S3 storage',
  description: 'Reads, writes, lists and shares objects of S3 and of every storage that speaks like it.',
  icon: 'archive',
  effect: 'effect',
  argsSchema: s3Args,
  outSchema: s3Out,
  linkKinds: [KIND],
  credential: 'url',
  paging,
  examples: [
    {
      title: 'Keep the file that an earlier layer fetched',
      args: {
        integrationId: '{{ $blueprint.storage }}',
        op: 'put',
        bucket: 'reports',
        key: 'daily/{{ $play.id }}.csv',
        body: { content: 'day,orders', contentType: 'text/csv' },
        ifNoneMatch: '*',
      },
    },
    {
      title: 'Fetch an object as a file',
      args: { integrationId: '{{ $blueprint.storage }}', op: 'get', bucket: 'reports', key: 'daily/latest.csv' },
    },
    {
      title: 'List what came since the last run',
      args: {
        integrationId: '{{ $blueprint.storage }}',
        op: 'list',
        bucket: 'inbox',
        prefix: 'orders/',
        after: '{{ $prev.args.last }}',
      },
    },
    {
      title: 'Give somebody an address for an hour',
      args: {
        integrationId: '{{ $blueprint.storage }}',
        op: 'presign',
        bucket: 'reports',
        key: 'daily/latest.csv',
        expiresIn: 3_600,
      },
    },
  ],

  intentOf: ({ op }) => ({ reads: READING.includes(op), request: null }),

  async run(args, context) {
    const link = await context.connection(args.integrationId);
    const fault = faultOf(link);
    if (fault !== null) throw new LayerFailure('integration_unusable', `The integration cannot be used: ${fault}.`);
    try {
      return await RUN[args.op](args, link, context);
    } catch (error) {
      throw ofEgress(error);
    }
  },
};

function faultOf({ kind = 'bearer', settings }: Connection): string | null {
  if (kind !== KIND) return `s3 signs its requests, and its kind is ${kind}, not ${KIND}`;
  const { service = '' } = settings ?? {};
  return isS3(service) ? null : `it signs for the service ${service}, and s3 needs one that signs for s3`;
}

type Run = (args: S3Args, link: Connection, context: LayerContext) => Promise<Output> | Output;

const RUN: Readonly<Record<S3Args['op'], Run>> = {
  async get(args, link, context) {
    const response = await sendToS3(link, { ...asked('GET', args), maxResponseBytes: MAX_OBJECT_BYTES }, context);
    const progress: LayerContext['progress'] = (percent, status) => context.progress(percent, status);
    const name = args.key?.split('/').at(-1) || null;
    const file = await storeFile(response, context.files, progress, name);
    return { ...placeOf(args), file, ...factsIn(response), bytes: file.bytes };
  },

  async head(args, link, context) {
    const response = await sendToS3(link, asked('HEAD', args), context);
    return { ...placeOf(args), ...factsIn(response), bytes: bytesOf(response.headers['content-length']) };
  },

  async put(args, link, context) {
    const { content, contentType, sha256 } = await bodyOf(args, context);
    const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
    if (bytes > MAX_OBJECT_BYTES) {
      throw new LayerFailure('invalid_args', `"body" has ${bytes} bytes; ${MAX_OBJECT_BYTES} are allowed.`);
    }
    const hash = sha256 || (await hashOf(content, context.signal));
    const headers = {
      'content-type': args.contentType ?? contentType ?? BYTES,
      // S3 refuses an object that has changed on its way
      'x-amz-checksum-sha256': Buffer.from(hash, 'hex').toString('base64'),
      ...(args.ifNoneMatch !== undefined && { 'if-none-match': args.ifNoneMatch }),
    };
    const response = await sendToS3(link, { ...asked('PUT', args), headers, body: content, hash }, context);
    await context.whole(response, MAX_ANSWER_BYTES);
    const { etag, versionId } = factsIn(response);
    return { ...placeOf(args), bytes, etag, versionId };
  },

  async delete(args, link, context) {
    const response = await sendToS3(link, asked('DELETE', args), context);
    await context.whole(response, MAX_ANSWER_BYTES);
    return { ...placeOf(args), versionId: factsIn(response).versionId };
  },

  async list(args, link, context) {
    const { bucket, prefix, after, max } = args;
    const query = {
      ...{ 'list-type': '2', 'encoding-type': 'url' },
      ...(prefix && { prefix }),
      ...(after && { 'start-after': after }),
      ...(max !== undefined && { 'max-keys': String(max) }),
    };
    const response = await sendToS3(link, { ...asked('GET', { ...args, key: undefined }), query }, context);
    return { bucket, ...listIn(await context.whole(response, MAX_ANSWER_BYTES)) };
  },

  async copy(args, link, context) {
    const from = { bucket: args.bucket, ...args.from };
    const source = `/${rfc3986(from.bucket)}/${(from.key ?? '').split('/').map(rfc3986).join('/')}`;
    const request = { ...asked('PUT', args), headers: { 'x-amz-copy-source': source } };
    const response = await sendToS3(link, request, context);
    const body = await context.whole(response, MAX_ANSWER_BYTES);
    assertCopied(response, body, request);
    const { versionId } = factsIn(response);
    return { ...placeOf(args), etag: etagOf(readAnswer(body).top.get('ETag')), versionId };
  },

  presign(args, link) {
    const { method = 'GET', contentType, expiresIn: expiresInSeconds = DEFAULT_EXPIRY_SECONDS } = args;
    const { keys, scope } = signingOf(link);
    const headers = new Map(
      contentType === undefined ? [] : [['content-type', ['content-type', contentType] as const] as const],
    );
    const nowMs = Date.now();
    const request = { method, url: addressOf(link, scope.region, args), headers };
    return {
      ...placeOf(args),
      url: presigned(request, keys, scope, { expiresInSeconds, nowMs }),
      expiresAt: new Date(nowMs + expiresInSeconds * 1_000).toISOString(),
    };
  },
};

function asked(method: S3Request['method'], { bucket, key }: Pick<S3Args, 'bucket' | 'key'>): S3Request {
  return { method, place: { bucket, key }, hash: NO_BODY, maxResponseBytes: MAX_ANSWER_BYTES };
}

function placeOf({ bucket, key }: S3Args): Output {
  return { bucket, key };
}

function factsIn({ headers }: EgressResponse) {
  return {
    contentType: headers['content-type'] ?? null,
    etag: etagOf(headers.etag),
    lastModified: timeOf(headers['last-modified']),
    versionId: headers['x-amz-version-id'] ?? null,
  };
}

function bodyOf({ body }: S3Args, { files }: LayerContext): Promise<Content> | Content {
  if (isFields(body)) return contentOf(body, 'body', files);
  if (typeof body === 'string') {
    return { content: body, contentType: 'text/plain; charset=utf-8', filename: null, sha256: null };
  }
  throw new LayerFailure('invalid_args', '"body" must be a file: { $ref }, { content }, { base64 }, or a text.');
}

async function hashOf(content: Content['content'], signal: AbortSignal): Promise<string> {
  if (!isStreamed(content)) return sha256Of(content);
  const hash = createHash('sha256');
  for await (const chunk of content.open()) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}
