import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  BACKUP_FORMAT,
  BackupDamaged,
  FRAME,
  FRAME_HEADER_BYTES,
  MAX_CONTENT_BYTES,
  type BackupEnd,
  type BackupHead,
  type BackupManifest,
  type Frame,
  type FrameKind,
} from './backup-format.js';

const MIN_BSON_BYTES = 5;
/** Few chunks for the largest document. */
const CHUNK_BYTES = 1024 * 1024;

/** Change of one document, in the order of the file. */
export interface BackupEntry {
  readonly kind: typeof FRAME.copy | typeof FRAME.put | typeof FRAME.remove;
  readonly collection: string;
  /** BSON. */
  readonly content: Buffer;
}

/**
 * Reads the whole file and checks it: that it has an end, its checksum, and the length of each document.
 *
 * @throws BackupDamaged
 */
export async function verifyBackup(path: string): Promise<BackupManifest> {
  const hash = createHash('sha256');
  let head: BackupHead | null = null;
  let end: BackupEnd | null = null;
  for await (const { kind, content, bytes } of framesOf(path)) {
    if (end) throw new BackupDamaged(`${path} continues after its end.`);
    head ??= readHead(path, kind, content);
    if (kind === FRAME.end) {
      end = JSON.parse(content.toString()) as BackupEnd;
      if (end.sha256 !== hash.digest('hex'))
        throw new BackupDamaged(`${path} is damaged: its checksum does not match.`);
    } else hash.update(bytes);
  }
  if (!head || !end) throw new BackupDamaged(`${path} is not whole: it ends before its end mark.`);
  return { ...head, ...end };
}

/** All entries of a file that was verified. */
export async function* entriesOf(path: string): AsyncGenerator<BackupEntry> {
  const names: string[] = [];
  for await (const { kind, collection, content } of framesOf(path)) {
    if (kind === FRAME.head) names.push(...readHead(path, kind, content).collections);
    else if (kind === FRAME.collection) names.push(content.toString());
    else if (kind !== FRAME.end) yield { kind, collection: nameOf(path, names, collection), content };
  }
}

function nameOf(path: string, names: readonly string[], number: number): string {
  const name = names[number];
  if (name === undefined) throw new BackupDamaged(`${path} is damaged: it has no collection ${number}.`);
  return name;
}

function readHead(path: string, kind: FrameKind, content: Buffer): BackupHead {
  if (kind !== FRAME.head) throw new BackupDamaged(`${path} is not a backup of Weft.`);
  const head = JSON.parse(content.toString()) as BackupHead;
  const format: string = head.format;
  if (format === BACKUP_FORMAT) return head;
  throw new BackupDamaged(`${path} has the format ${format}; this version reads ${BACKUP_FORMAT}.`);
}

interface ReadFrame extends Frame {
  /** Header and content. */
  readonly bytes: Buffer;
}

async function* framesOf(path: string): AsyncGenerator<ReadFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of unpacked(path)) {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let frame = firstOf(path, rest); frame; frame = firstOf(path, rest)) {
      yield frame;
      rest = rest.subarray(frame.bytes.byteLength);
    }
  }
  if (rest.byteLength > 0) throw new BackupDamaged(`${path} is not whole: it ends inside a document.`);
}

/** Null: the rest of the frame is yet to be read. */
function firstOf(path: string, bytes: Buffer): ReadFrame | null {
  if (bytes.byteLength < FRAME_HEADER_BYTES) return null;
  const kind = bytes.readUInt8(0) as FrameKind;
  const length = bytes.readUInt32BE(3);
  const isKnown = kind >= FRAME.head && kind <= FRAME.end && length <= MAX_CONTENT_BYTES;
  if (!isKnown) throw new BackupDamaged(`${path} is not a backup of Weft, or is damaged.`);
  const until = FRAME_HEADER_BYTES + length;
  if (bytes.byteLength < until) return null;
  const content = bytes.subarray(FRAME_HEADER_BYTES, until);
  const isDocument = kind === FRAME.copy || kind === FRAME.put || kind === FRAME.remove;
  if (isDocument && (length < MIN_BSON_BYTES || content.readInt32LE(0) !== length)) {
    throw new BackupDamaged(`${path} is damaged: a document does not have its length.`);
  }
  return { kind, collection: bytes.readUInt16BE(1), content, bytes: bytes.subarray(0, until) };
}

async function* unpacked(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const read = pipeline(createReadStream(path), gunzip);
  read.catch(() => undefined); // the loop fails with the same error
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw new BackupDamaged(`${path} is not whole, or is not a backup of Weft.`, { cause });
    throw cause;
  }
}
