/** A web request as a command for a terminal, with a placeholder for each secret. */
import { isFields } from '@weft/kernel';
import { Readable } from 'node:stream';
import { SECRET_IN_HEADER, type LinkKind, type LinkSettings } from '@weft/shapes';
import { withCredential, type OutgoingRequest } from '../../call/link-credential.js';
import type { FileValue } from '@weft/contracts';
import type { Connection, LayerFiles } from '../../layer-module.js';
import { webRequestArgs, type WebRequestArgs } from './args.js';
import { contentOf, partsOf, requestBody } from './request-body.js';
import { addQuery, requestHeaders } from './request-parts.js';

/** How the link of the request shows its credentials. */
export interface LinkShown {
  readonly kind: LinkKind;
  readonly settings: LinkSettings;
}

export interface CurlOptions {
  readonly idempotencyKey: string;
  /** Null: the request has no link, or how it shows its credentials is unknown. */
  readonly link: LinkShown | null;
  /** Stands in the place of each secret. */
  readonly secret: string;
}

const BYTES = 'application/octet-stream';
/** A longer body is not written into a command. */
const MAX_BODY_CHARS = 100_000;

/**
 * The command `curl` that makes the request. A file that it sends is read from the working directory, by its name. No data of the
 * arguments is a path, or a key of a terminal.
 *
 * @param given arguments with values instead of expressions
 * @returns null for other arguments, and for those that a command cannot have
 */
export async function curlOf(given: unknown, options: CurlOptions): Promise<string | null> {
  const parsed = webRequestArgs.safeParse(given);
  if (!parsed.success) return null;
  const { data: args } = parsed;
  try {
    const headers = requestHeaders(args, options.idempotencyKey);
    const { words, pipe } = await bodyWords(args, headers);
    const shown = withPlaceholders(
      { method: args.method, url: addQuery(args.url, args.query), headers, body: null },
      args,
      options,
    );
    const all = [
      ...[...(args.method === 'HEAD' ? ['--head'] : [`-X ${args.method}`]), '--globoff'],
      ...(args.followRedirects ? ['--location'] : []),
      quoted(shown.url),
      ...[...shown.headers.values()].map(
        ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
      ),
      ...words,
    ];
    return `${pipe}curl ${all.join(' \\\n  ')}`;
  } catch {
    return null; // the layer failed on the same arguments, and says why
  }
}

function withPlaceholders<Request extends OutgoingRequest>(
  request: Request,
  { auth }: WebRequestArgs,
  { link, secret }: CurlOptions,
): Request {
  if (!auth) return request;
  const { kind, settings } = link ?? UNKNOWN;
  const shownAs = (shown: Pick<Connection, 'kind' | 'settings'>, text = secret) =>
    withCredential({ type: '', endpoint: null, secret: text, ...shown }, request);
  switch (kind) {
    case 'basic':
    case 'aws_sigv4':
      return shownAs(UNKNOWN);
    case 'hmac':
      // a signature without what may stand before it
      return shownAs({
        kind: 'header',
        settings: { ...(settings.header !== undefined && { header: settings.header }) },
      });
    case 'headers': {
      const names = Object.values(settings.headers ?? {}).flatMap((text) => [...text.matchAll(SECRET_IN_HEADER)]);
      return shownAs(
        { kind, settings },
        JSON.stringify(Object.fromEntries(names.map(([, name = '']) => [name, secret]))),
      );
    }
    default:
      return shownAs({ kind, settings });
  }
}

const UNKNOWN: LinkShown = { kind: 'header', settings: { header: 'Authorization' } };

async function bodyWords(args: WebRequestArgs, headers: ReturnType<typeof requestHeaders>) {
  const { body, bodyType } = args;
  if (body === undefined || body === null) return { words: [], pipe: '' };
  if (bodyType === 'multipart') {
    headers.delete('content-type'); // curl says where the parts end
    const parts = await partsOf(body, NAMES_ONLY);
    return {
      words: parts.map(({ name, filename, contentType, content }) => {
        // for curl the name ends there, and what follows may be a path
        if (name.includes('=')) throw new RangeError('not a name for curl');
        const type = contentType === null ? '' : `;type=${contentType}`;
        if (filename !== null) return `-F ${quoted(`${name}=@${inQuotes(here(filename))}${type}`)}`;
        if (type === '') return `--form-string ${quoted(`${name}=${asText(content)}`)}`;
        return `-F ${quoted(`${name}=${inQuotes(asText(content))}${type}`)}`;
      }),
      pipe: '',
    };
  }
  if (bodyType === 'binary') {
    const given = isFields(body) ? body : { base64: body };
    const { content, contentType, filename } = await contentOf(given, 'body', NAMES_ONLY);
    if (!headers.has('content-type')) {
      headers.set('content-type', ['Content-Type', contentType ?? BYTES]);
    }
    if (given.$ref !== undefined)
      return { words: [`--data-binary ${quoted(`@${here(filename ?? 'file')}`)}`], pipe: '' };
    const base64 = Buffer.isBuffer(content)
      ? content.toString('base64')
      : Buffer.from(asText(content)).toString('base64');
    return { words: ['--data-binary @-'], pipe: `printf %s ${quoted(limited(base64))} | base64 -d | ` };
  }
  const text = asText(await requestBody(args, headers, NAMES_ONLY));
  return { words: [`--data-raw ${quoted(limited(text))}`], pipe: '' };
}

function asText(content: unknown): string {
  return typeof content === 'string' ? content : Buffer.isBuffer(content) ? content.toString() : '';
}

function limited(text: string): string {
  if (text.length > MAX_BODY_CHARS) throw new RangeError('too long for a command');
  return text;
}

/** Files by what their reference says of them. */
const NAMES_ONLY: LayerFiles = {
  open: async (value) => {
    const file: FileValue = {
      $ref: '',
      bytes: 0,
      contentType: BYTES,
      filename: null,
      sha256: '',
      ...(value as object),
    };
    return { ...file, read: () => Readable.from([]) };
  },
  store: async () => {
    throw new TypeError('nothing is received here');
  },
};

/** A file of the working directory, whatever the data says where it is. */
function here(filename: string): string {
  const name = /[^/\\]*$/.exec(filename)?.[0] || 'file';
  return name === '-' ? './-' : name;
}

/** What a terminal takes for keys when it is pasted. */
const KEYS = /(?![\t\n\r])\p{Cc}/u;

/** For POSIX shells. */
function quoted(text: string): string {
  if (KEYS.test(text)) throw new RangeError('not a text for a terminal');
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** As curl reads a name or a value in a form. */
function inQuotes(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
