/**
 * The file of an exported company: gzip over lines of JSON. First the head, then a line for each document, last the counts: a file
 * without them is not whole. Documents are in extended JSON, which keeps the types of MongoDB.
 */
import mongoose, { type mongo } from 'mongoose';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parseJson } from '@weft/kernel';
import type { CompanyCounts, LeftToGive } from '@weft/records';
import { JobFault } from './job-fault.js';

const { EJSON } = mongoose.mongo.BSON;

export const COMPANY_FORMAT = 'weft-company/1';

export interface CompanyHead {
  readonly format: typeof COMPANY_FORMAT;
  /** Of the product that wrote it. */
  readonly version: string;
  readonly at: string;
  readonly company: { readonly id: string; readonly name: string };
  /** Names of what is not in it, by kind. */
  readonly left_out: LeftToGive;
}

export interface CompanyLine {
  readonly collection: string;
  readonly document: mongo.Document;
}

export interface CompanyEnd {
  readonly counts: CompanyCounts;
}

export function lineOf({ collection, document }: CompanyLine): string {
  return `{"collection":${JSON.stringify(collection)},"document":${EJSON.stringify(document, { relaxed: false })}}\n`;
}

/** @throws JobFault */
export function readLine(text: string): CompanyLine | CompanyEnd {
  try {
    const line = EJSON.parse(text, { relaxed: false }) as Partial<CompanyLine> & Partial<CompanyEnd>;
    if (typeof line.collection === 'string' && line.document) return line as CompanyLine;
    if (line.counts) return parseJson(text) as CompanyEnd;
  } catch (cause) {
    throw new JobFault('The file has a line that is not JSON of a document.', { cause });
  }
  throw new JobFault('The file has a line that is neither a document nor the counts.');
}

/** @throws JobFault */
export function readHead(text: string | undefined): CompanyHead {
  let head: Partial<CompanyHead> = {};
  try {
    head = parseJson(text ?? '') as Partial<CompanyHead>;
  } catch {
    // told below
  }
  if (head.format !== COMPANY_FORMAT || typeof head.company?.id !== 'string' || typeof head.company.name !== 'string')
    throw new JobFault(`The file is not an export of a company (${COMPANY_FORMAT}).`);
  return head as CompanyHead;
}

const NEW_LINE = 0x0a;
/** A document has 16 MB at most, and is longer as JSON. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** @throws JobFault */
export async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const unpacked = createGunzip();
  void pipeline(Readable.from(content), unpacked).catch(() => undefined); // the reader gets the error
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString();
        [parts, bytes, from] = [[], 0, at + 1];
      }
      parts.push(chunk.subarray(from));
      bytes += chunk.byteLength - from;
      if (bytes > LONGEST_LINE) throw new JobFault('The file has a line that is longer than any document.');
    }
    if (bytes > 0) yield Buffer.concat(parts).toString();
  } catch (cause) {
    if (cause instanceof JobFault) throw cause;
    throw new JobFault('The file is damaged, or is not gzip.', { cause });
  }
}
