import { writeJson } from '@weft/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Source, SourceBatch, SourceMessage } from '../source.js';
import { MOST_MAIL_BYTES, type MailFolder, type MailHead } from './mail-folder.js';
import { MailUnreadable, readMail, type KeepAttachment, type ReadMail } from './read-mail.js';

/** The only one: a folder has one order. */
export const SHARD = 'mails';
const PATIENCE_MS = 5_000;
/** Of one batch; one mail may have more. */
export const MOST_MAILS = 50;
const BATCH_BYTES = 16 * 1024 * 1024;
/** UIDs that are asked for at once, and how often: most of them may be gone. */
const UIDS = 500;
const MOST_RANGES = 200;

/** Where a folder is read on: UIDs name its mails only as long as its validity stays. */
export interface FolderCursor {
  readonly validity: string;
  /** The last one that was read. */
  readonly uid: number;
}

/** Opens the folder, and closes it when it was read. */
export type InFolder = <T>(read: (folder: MailFolder) => Promise<T>, ends: AbortSignal) => Promise<T>;

export class FolderSource implements Source {
  private dueMs = 0;
  private left: number | null = null;

  constructor(
    private readonly inIts: InFolder,
    private readonly keep: KeepAttachment,
    private readonly everyMs: number,
    private at: FolderCursor,
    readonly begins: ReadonlyMap<string, string> = new Map(),
  ) {}

  async next(signal: AbortSignal): Promise<SourceBatch | null> {
    const waitMs = this.dueMs - performance.now();
    if (waitMs > 0) await sleep(Math.min(waitMs, PATIENCE_MS), undefined, { signal });
    if (waitMs > PATIENCE_MS) return null;
    return this.inIts((folder) => this.look(folder), signal);
  }

  accepted(): Promise<void> {
    return Promise.resolve();
  }

  lag(): number | null {
    return this.left;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async look(folder: MailFolder): Promise<SourceBatch | null> {
    const { validity, nextUid } = folder;
    if (validity !== this.at.validity) return this.beginAnew(folder);
    const found = await headsAfter(folder, this.at.uid);
    const messages: SourceMessage[] = [];
    let bytes = 0;
    let { uid } = this.at;
    for (const head of found.heads.slice(0, MOST_MAILS)) {
      if (messages.length > 0 && bytes + head.bytes > BATCH_BYTES) break;
      const message = await this.messageOf(folder, head);
      if (message) messages.push(message);
      bytes += head.bytes;
      ({ uid } = head);
    }
    const isRest = uid === (found.heads.at(-1)?.uid ?? this.at.uid);
    if (isRest) uid = found.upTo;
    this.left = Math.max(0, nextUid - 1 - uid);
    this.dueMs = this.left > 0 ? 0 : performance.now() + this.everyMs;
    if (uid === this.at.uid && messages.length === 0) return null;
    this.at = { validity, uid };
    return { shard: SHARD, messages, next: writeCursor(this.at) };
  }

  /** What has come since the last look is not known apart from what was there before. */
  private beginAnew({ validity, nextUid }: MailFolder): SourceBatch {
    this.at = { validity, uid: nextUid - 1 };
    const lost =
      'The folder was made anew or renumbered (its UIDVALIDITY has changed): mails that came since it was read last are not taken.';
    return { shard: SHARD, messages: [], next: writeCursor(this.at), lost };
  }

  /** Null: it is not there any more. */
  private async messageOf(folder: MailFolder, { uid, bytes, at }: MailHead): Promise<SourceMessage | null> {
    const { validity } = folder;
    const of = {
      ...{ id: `${validity}-${uid}`, next: writeCursor({ validity, uid }), headers: {}, at },
      about: { key: `${validity}:${uid}`, ...(at && { timestamp: at.toISOString() }) },
      contentType: 'application/json',
    };
    const source = bytes > MOST_MAIL_BYTES ? TOO_LARGE : await folder.source(uid);
    if (source === null) return null;
    return { ...of, bytes: Buffer.from(writeJson(await this.valueOf(source)).json ?? 'null') };
  }

  private async valueOf(source: Buffer | typeof TOO_LARGE): Promise<ReadMail | MailProblem> {
    if (source === TOO_LARGE) return { unreadable: `The mail has more than ${MOST_MAIL_BYTES} bytes.` };
    try {
      return await readMail(source, this.keep);
    } catch (error) {
      if (error instanceof MailUnreadable) return { unreadable: error.message };
      throw error;
    }
  }
}

const TOO_LARGE = Symbol('a mail of more bytes than are read');

/** Instead of a mail that cannot be read: the flow decides what becomes of it. */
interface MailProblem {
  readonly unreadable: string;
}

/** The next mails, and up to which UID there are no others. */
async function headsAfter(folder: MailFolder, uid: number) {
  let from = uid + 1;
  for (let range = 0; range < MOST_RANGES && from < folder.nextUid; range += 1) {
    const to = Math.min(from + UIDS - 1, folder.nextUid - 1);
    const heads = await folder.heads(from, to);
    if (heads.length > 0) return { heads, upTo: to };
    from = to + 1;
  }
  return { heads: [], upTo: Math.max(uid, from - 1) };
}

export function readCursor(text: string): FolderCursor {
  const colon = text.indexOf(':');
  return { validity: text.slice(0, colon), uid: Number(text.slice(colon + 1)) };
}

export function writeCursor({ validity, uid }: FolderCursor): string {
  return `${validity}:${uid}`;
}
