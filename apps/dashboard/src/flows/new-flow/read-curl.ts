/** A curl command as the arguments of a web request. Options are read by curlconverter, words by shell-quote. Pure. */
import { parseArgs } from 'curlconverter/dist/src/curl/opts.js';
import { buildRequests, type Request } from 'curlconverter/dist/src/Request.js';
import { Word } from 'curlconverter/dist/src/shell/Word.js';
import parse from 'shell-quote/parse.js';

export interface CurlRequest {
  readonly args: Readonly<Record<string, unknown>>;
  /** What the flow does otherwise than the command, in words. */
  readonly notes: readonly string[];
}

/** They say what curl shows or stores, or what Weft does anyway. */
const WITHOUT_EFFECT = new Set([
  ...[
    'silent',
    'show-error',
    'verbose',
    'include',
    'output',
    'remote-name',
    'write-out',
    'progress-bar',
    'styled-output',
  ],
  ...['location', 'compressed', 'globoff', 'fail', 'fail-with-body', 'http1.1', 'http2', 'buffer', 'max-redirs'],
]);
/** They are in the request that is built of them. */
const TAKEN = new Set([
  ...['url', 'request', 'get', 'head', 'header', 'user', 'basic', 'oauth2-bearer', 'cookie', 'user-agent', 'referer'],
  ...[
    'data',
    'data-raw',
    'data-ascii',
    'data-binary',
    'data-urlencode',
    'json',
    'form',
    'form-string',
    'url-query',
    'max-time',
  ],
]);

/** Null for an empty text. */
export function readCurl(text: string): CurlRequest | { readonly fault: string } | null {
  if (text.trim() === '') return null;
  try {
    const words = wordsOf(text);
    if (words[0] !== 'curl') return { fault: `A command begins with “curl”, not with “${words[0] ?? ''}”.` };
    const [options, seen] = parseArgs(words.map((word) => new Word(word)));
    const [request, ...others] = buildRequests(options);
    if (!request?.urls[0]) return { fault: 'The command has no address.' };
    const left = [
      ...new Set(seen.filter(([name]) => !WITHOUT_EFFECT.has(name) && !TAKEN.has(name)).map(([, as]) => as)),
    ];
    return {
      args: argsOf(request, request.urls[0]),
      notes: [
        ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
        ...(others.length > 0 || request.urls.length > 1 ? ['Only the first request is taken.'] : []),
        ...(request.dataReadsFile === undefined
          ? []
          : [`The body is the file ${request.dataReadsFile}: put its text in its place.`]),
        ...(/\$\w/.test(words.join(' '))
          ? ['Variables of the shell are there as they are written: put values in their place.']
          : []),
        ...(hasCredential(request)
          ? ['It has a credential: move it to an integration link, where nobody reads it.']
          : []),
      ],
    };
  } catch (error) {
    return { fault: `curl would not take it: ${error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown'}` };
  }
}

/** Up to the first `|`, `;`, `&&` or comment. */
function wordsOf(text: string): string[] {
  const words = parse(text.trim().replaceAll(/\\\r?\n/g, ' '), (name) => `$${name}`);
  const plain = words.map((word) => (typeof word === 'string' ? word : 'pattern' in word ? word.pattern : null));
  const end = plain.indexOf(null);
  return (end === -1 ? plain : plain.slice(0, end)).filter((word) => word !== null);
}

type Url = Request['urls'][number];

function argsOf(request: Request, url: Url): Record<string, unknown> {
  const method = url.method.toString();
  const { body, isJson } = bodyOf(request);
  const headers = headersOf(request, url).filter(([name]) => !(isJson && name === 'content-type'));
  const query = Map.groupBy(url.queryList ?? [], ([name]) => name.toString());
  const seconds = Number(request.timeout?.toString() ?? 0);
  return {
    url: (query.size > 0 ? url.urlWithoutQueryList : url.url).toString(),
    ...(method !== 'GET' && { method }),
    ...(query.size > 0 && { query: Object.fromEntries([...query].map(([name, all]) => [name, oneOrAll(all)])) }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...body,
    ...(seconds > 0 && { timeoutMs: Math.ceil(seconds * 1_000) }),
  };
}

function oneOrAll(pairs: readonly (readonly [Word, Word | null])[]): unknown {
  const values = pairs.map(([, value]) => value?.toString() ?? '');
  return values.length === 1 ? values[0] : values;
}

function headersOf(request: Request, url: Url): [string, string][] {
  const all = request.headers.headers.flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name.toString().toLowerCase(), value.toString()]],
  );
  const isGiven = all.some(([name]) => name === 'authorization');
  if (!isGiven && url.auth) {
    const bytes = new TextEncoder().encode(url.auth.map(String).join(':'));
    all.push(['authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`]);
  }
  return all;
}

const hasCredential = (request: Request): boolean =>
  request.urls[0]?.auth !== undefined ||
  request.headers.headers.some(
    ([name, value]) => value !== null && /^(authorization|cookie|x-api-key)$/i.test(name.toString()),
  );

interface Body {
  readonly body: Readonly<Record<string, unknown>>;
  /** Weft says the content type itself. */
  readonly isJson: boolean;
}

function bodyOf({ data, dataReadsFile, multipartUploads, headers }: Request): Body {
  if (multipartUploads) {
    const parts = multipartUploads.map((part) => ({
      name: part.name.toString(),
      ...('content' in part
        ? { content: part.content.toString() }
        : { content: '', filename: (part.filename ?? part.contentFile).toString() }),
    }));
    return { body: { body: parts, bodyType: 'multipart' }, isJson: false };
  }
  if (data === undefined || dataReadsFile !== undefined) return { body: {}, isJson: false };
  const text = data.toString();
  const type = headers.get('content-type')?.toString() ?? '';
  const object = type.includes('json') || type === '' ? objectOf(text) : undefined;
  if (object !== undefined && type.includes('json'))
    return { body: { body: object }, isJson: /^application\/json\b/.test(type) };
  return { body: { body: text, ...(!type.includes('json') && { bodyType: 'text' }) }, isJson: false };
}

/** Of numbers that would lose digits, the text. */
function objectOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !/\d{16}/.test(text) ? value : undefined;
  } catch {
    return undefined;
  }
}
