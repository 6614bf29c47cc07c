import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { FRAME, FRAME_HEADER_BYTES, type BackupEnd, type BackupHead, type FrameKind } from './backup-format.js';

/** Fast: documents are small, and a slower level saves a tenth. */
const GZIP_LEVEL = 2;

/** Where the bytes of a backup go. */
export interface BackupTarget {
  readonly stream: Writable;
  /** All bytes were taken: makes them durable under their name. */
  finish(): Promise<void>;
  /** The backup was given up. */
  discard(): Promise<void>;
}

/** A file, readable by its owner only. Until it is whole it has the suffix `.part`. */
export function fileTarget(path: string): BackupTarget {
  const part = `${path}.part`;
  return {
    stream: createWriteStream(part, { mode: 0o600, flags: 'w' }),
    finish: async () => {
      await flush(part);
      await rename(part, path);
      await flush(dirname(path));
    },
    discard: () => rm(part, { force: true }),
  };
}

/** Writes a backup, no faster than its target takes it. */
export class BackupWriter {
  private readonly gzip = createGzip({ level: GZIP_LEVEL });
  private readonly hash = createHash('sha256');
  private readonly numbers = new Map<string, number>();
  private readonly written: Promise<void>;

  constructor(
    private readonly target: BackupTarget,
    head: BackupHead,
  ) {
    this.written = pipeline(this.gzip, target.stream);
    this.written.catch(() => undefined); // every later step fails with it
    for (const name of head.collections) this.numbers.set(name, this.numbers.size);
    this.frame(FRAME.head, 0, Buffer.from(JSON.stringify(head)));
  }

  /** @param content BSON */
  async add(kind: FrameKind, collection: string, content: Uint8Array): Promise<void> {
    const isTaken = this.frame(kind, this.numberOf(collection), content);
    // a target that takes nothing more ends `written` with its error
    if (!isTaken) await Promise.race([once(this.gzip, 'drain'), this.written]);
  }

  /** The backup is whole and durable. */
  async end(end: Omit<BackupEnd, 'sha256'>): Promise<void> {
    const sha256 = this.hash.copy().digest('hex');
    this.frame(FRAME.end, 0, Buffer.from(JSON.stringify({ ...end, sha256 } satisfies BackupEnd)));
    this.gzip.end();
    await this.written;
    await this.target.finish();
  }

  async abandon(): Promise<void> {
    this.gzip.destroy();
    await this.written.catch(() => undefined);
    await this.target.discard();
  }

  private numberOf(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const next = this.numbers.size;
    this.numbers.set(name, next);
    this.frame(FRAME.collection, next, Buffer.from(name));
    return next;
  }

  private frame(kind: FrameKind, collection: number, content: Uint8Array): boolean {
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    header.writeUInt8(kind, 0);
    header.writeUInt16BE(collection, 1);
    header.writeUInt32BE(content.byteLength, 3);
    this.hash.update(header).update(content);
    this.gzip.write(header);
    return this.gzip.write(content);
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
