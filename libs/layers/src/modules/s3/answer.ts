/** What S3 answers, in XML. A peer may be anybody: nothing is taken for granted. */
import { Parser } from 'htmlparser2';
import { LayerFailure, type Output } from '../../layer-module.js';

/** Answers of S3 have four levels and a thousand items. An answer with more is not one of S3, and would take long to read. */
const MAX_DEPTH = 16;
const MAX_ITEMS = 1_000;

class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

interface Answer {
  /** Name of the outermost element; null: it cannot be read. */
  readonly root: string | null;
  /** The texts of its children. */
  readonly top: ReadonlyMap<string, string>;
  /** The texts of the children of each item. */
  readonly items: readonly ReadonlyMap<string, string>[];
}

/** @param item the child of the outermost element that is repeated */
export function readAnswer(xml: Buffer, item = ''): Answer {
  const names: string[] = [];
  const top = new Map<string, string>();
  const items: Map<string, string>[] = [];
  let root: string | null = null;
  let current = new Map<string, string>();
  let text = '';
  const parser = new Parser(
    {
      // attributes mean nothing here: without `onopentag` the parser does not collect them
      onopentagname: (tag) => {
        if (names.push(localName(tag)) > MAX_DEPTH) throw new Unreadable('deep');
        root ??= names[0] ?? null;
        text = '';
      },
      ontext: (piece) => void (text += piece),
      onclosetag: (tag) => {
        const name = localName(tag);
        if (names.length === 2 && name === item) {
          if (items.push(current) > MAX_ITEMS) throw new Unreadable('long');
          current = new Map();
        } else if (names.length === 2) top.set(name, text);
        else if (names.length === 3 && names[1] === item) current.set(name, text);
        names.pop();
        text = '';
      },
    },
    { xmlMode: true },
  );
  try {
    parser.end(xml.toString('utf8'));
    return { root, top, items };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { root: null, top: new Map(), items: [] };
  }
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

/** One answer to `list`. @throws LayerFailure `invalid_output` */
export function listIn(xml: Buffer): Output {
  const { root, top, items } = readAnswer(xml, 'Contents');
  if (root !== 'ListBucketResult') {
    throw new LayerFailure('invalid_output', 'The answer is not the list of a bucket: is the endpoint one of S3?');
  }
  const isEncoded = top.get('EncodingType') === 'url';
  const keys = items.map((item) => keyOf(item.get('Key') ?? '', isEncoded));
  const isCut = top.get('IsTruncated') === 'true';
  const last = keys.at(-1);
  if (isCut && last === undefined) {
    throw new LayerFailure('invalid_output', 'The answer says that the list goes on, and has nothing in it.');
  }
  return {
    items: items.map((item, i) => ({
      key: keys[i],
      bytes: bytesOf(item.get('Size')) ?? 0,
      etag: etagOf(item.get('ETag')),
      lastModified: timeOf(item.get('LastModified')),
    })),
    next: isCut ? last : null,
  };
}

function keyOf(text: string, isEncoded: boolean): string {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const CODE = /^[\w.]{1,100}$/;

/** The code of an error, and the region that a peer names in it. */
export function errorIn(xml: Buffer): { readonly awsCode: string | null; readonly region: string | undefined } {
  const { root, top } = readAnswer(xml);
  const code = root === 'Error' ? top.get('Code') : undefined;
  return { awsCode: code !== undefined && CODE.test(code) ? code : null, region: top.get('Region') };
}

const HINTS: Readonly<Record<string, string>> = {
  AccessDenied: 'these keys may not do this',
  InvalidAccessKeyId: 'it does not know this access key id',
  SignatureDoesNotMatch: 'the secret access key is another one, or the region or service of the integration is wrong',
  ExpiredToken: 'the keys have ended',
  InvalidToken: 'the session token does not belong to the keys',
  RequestTimeTooSkewed: 'its clock and that of the worker differ',
  NoSuchBucket: 'there is no such bucket',
};

/** A status and the code of S3, and what the code means to people. */
export function statusText(statusCode: number, awsCode: string | null): string {
  if (awsCode === null) return String(statusCode);
  const hint = Object.hasOwn(HINTS, awsCode) ? `: ${HINTS[awsCode]}` : '';
  return `${statusCode} (${awsCode})${hint}`;
}

export function etagOf(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text.replaceAll('"', '');
}

export function timeOf(text: string | undefined): string | null {
  const at = text === undefined ? Number.NaN : Date.parse(text.slice(0, 100));
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

export function bytesOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
