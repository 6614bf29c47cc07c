import { makeFolder } from '@weft/config';
import { chmod, readdir, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';

export interface RotationOptions {
  /** Folder; created when missing, for its owner and group. */
  readonly folder: string;
  /** `weft-` and more, without extension; no other process writes this file. */
  readonly name: string;
  readonly maxSizeMb: number;
  /** Rotated files that are kept. */
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  readonly compress: boolean;
}

const RETRY_MS = 30_000;
const SWEEP_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** A log collector can be added to the group. */
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
const OTHERS = 0o007;
const OURS = /^\.?weft-.*\.log(\.gz|\.history)?$/;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * A log file that rotates by size and is deleted by number and age (docs/operator-contract.md §5). If its disk fails or is slow,
 * lines are counted and dropped, the file is tried again every 30 s, and the process continues.
 */
export class RotatedFile {
  private stream?: RotatingFileStream;
  private retry?: NodeJS.Timeout;
  private readonly sweeper: NodeJS.Timeout;
  private readonly onWritten = (error?: Error | null): void => {
    if (error) this.onDropped();
  };

  constructor(
    private readonly options: RotationOptions,
    private readonly onDropped: () => void,
    private readonly onTrouble: (error: Error) => void,
  ) {
    this.open();
    this.sweeper = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  write(line: string): void {
    if (!this.stream || this.stream.writableLength > MAX_WAITING_BYTES) this.onDropped();
    else this.stream.write(line, this.onWritten);
  }

  async close(): Promise<void> {
    clearTimeout(this.retry);
    clearInterval(this.sweeper);
    const stream = this.stream;
    this.stream = undefined;
    if (!stream) return;
    await new Promise<void>((resolve) => {
      stream.once('error', () => resolve());
      stream.end(() => resolve());
    });
  }

  private open(): void {
    const { folder, name, maxSizeMb, maxBackups, compress } = this.options;
    try {
      makeFolder(folder, FOLDER_MODE); // the stream would also create it, but try for ever where that is impossible
    } catch (error) {
      this.tryLater(error as Error);
      return;
    }
    const extension = compress ? '.log.gz' : '.log';
    const stream = createStream(
      (time, index) =>
        time
          ? `${name}-${new Date(time).toISOString().replace(/[:.]/g, '-')}.${index ?? 1}${extension}`
          : `${name}.log`,
      {
        path: folder,
        mode: FILE_MODE,
        size: `${maxSizeMb}M`,
        maxFiles: maxBackups,
        history: `.${name}.log.history`,
        ...(compress ? { compress: 'gzip' as const } : {}),
      },
    );
    stream.on('warning', (error) => this.onTrouble(error));
    stream.on('error', (error) => this.giveUp(stream, error));
    this.stream = stream;
  }

  private giveUp(stream: RotatingFileStream, error: Error): void {
    if (this.stream !== stream) return;
    this.stream = undefined;
    stream.destroy();
    this.tryLater(error);
  }

  private tryLater(error: Error): void {
    this.onTrouble(error);
    this.retry = setTimeout(() => this.open(), RETRY_MS).unref();
  }

  /**
   * Deletes files of the product beyond their age, whatever their number: rotated ones, and those of ended processes (a live
   * one updates its file's time here). Makes files of an early version, which everybody could read, unreadable to others.
   */
  private async sweep(): Promise<void> {
    const { folder, name, maxAgeDays } = this.options;
    const oldest = Date.now() - maxAgeDays * DAY_MS;
    try {
      const now = new Date();
      await utimes(join(folder, `${name}.log`), now, now).catch(() => undefined); // does not exist before its first line
      for (const file of await readdir(folder)) {
        if (!OURS.test(file)) continue;
        const path = join(folder, file);
        const { mtimeMs, mode } = await stat(path);
        if (mtimeMs < oldest) await unlink(path);
        // a file that belongs to another user is left to that user's process
        else if ((mode & OTHERS) !== 0) await chmod(path, mode & 0o777 & ~OTHERS).catch(() => undefined);
      }
    } catch (error) {
      // the stream reports a missing folder once; another process may have deleted the same file
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.onTrouble(error as Error);
    }
  }
}
