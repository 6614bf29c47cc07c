/**
 * The file of a backup: gzip over frames. A frame is its kind (1 byte), the number of its collection (2 bytes), the length of its
 * content (4 bytes), all big-endian, and the content. Collections are numbered in the order of their names in the head.
 * Later frames of a document replace earlier ones.
 */
import type { BackupKeys } from './backup-keys.js';

export const BACKUP_FORMAT = 'weft-backup/1';

export const FRAME = {
  /** JSON: `BackupHead`. The first frame. */
  head: 1,
  /** The name of a collection that was made while the backup was written: it gets the next number. */
  collection: 2,
  /** BSON: a document, read while its collection was walked. */
  copy: 3,
  /** BSON: a document that changed meanwhile. */
  put: 4,
  /** BSON `{ _id }`: a document that was deleted meanwhile. */
  remove: 5,
  /** JSON: `BackupEnd`. The last frame: a file without it is not whole. */
  end: 6,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly kind: FrameKind;
  readonly collection: number;
  readonly content: Buffer;
}

export const FRAME_HEADER_BYTES = 7;
/** A document has 16 MB at most. */
export const MAX_CONTENT_BYTES = 17 * 1024 * 1024;

export interface BackupHead {
  readonly format: typeof BACKUP_FORMAT;
  readonly id: string;
  /** Of the product that wrote it. */
  readonly version: string;
  /** How many migrations that product knew: an older product cannot read what this one stored. */
  readonly dataLevel: number;
  readonly database: string;
  readonly startedAt: string;
  readonly collections: readonly string[];
  readonly keys: BackupKeys;
}

export interface BackupEnd {
  /** The point in time that the backup shows. */
  readonly at: string;
  /** Documents of each collection at that time; null where counting would have taken too long. */
  readonly counts: Readonly<Record<string, number | null>>;
  /** SHA-256 of all frames before this one. */
  readonly sha256: string;
}

/** What a whole file says about itself. */
export interface BackupManifest extends BackupHead, BackupEnd {}

/** The message says what is wrong with the file. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged';
}
