/** The rows of a statement while they arrive. While too many wait to be taken, the server is not read. */
import { LayerFailure } from '../layer-module.js';
import type { MessageGuard } from './message-guard.js';

/** Of rows that wait to be read. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Of a column, in a message. */
const MAX_NAME_CHARS = 200;
/** What a value needs besides its text and the name of its column. */
const CELL_BYTES = 32;

export interface SqlField {
  readonly name: string;
  /** As the database calls it. */
  readonly type: string;
}

export type Row = Readonly<Record<string, unknown>>;

export abstract class Answer {
  fields: readonly SqlField[] = [];
  /** Rows that the statement changed or gave. */
  rowCount = 0;
  /** The number that the database gave the first row that the statement inserted, where it says one. */
  insertId: string | null = null;
  /** What the rows that were read need in memory, about. */
  readBytes = 0;
  protected failure: Error | null = null;
  /** Of a row without its values. */
  private emptyBytes = 0;
  private waiting: Row[] = [];
  private waitingBytes = 0;
  private wake: (() => void) | null = null;

  /** @param masked removes the password of the link from what the server sends */
  protected constructor(
    protected readonly guard: MessageGuard,
    protected readonly masked: (text: string) => string,
  ) {}

  /**
   * The next rows, as many as have arrived; null: all were given, and the statement has ended.
   *
   * @throws the error of the server or of the connection; LayerFailure
   */
  async read(): Promise<readonly Row[] | null> {
    for (;;) {
      if (this.failure) throw this.failure;
      if (this.waiting.length > 0) {
        const rows = this.waiting;
        this.readBytes += this.waitingBytes;
        this.waiting = [];
        this.waitingBytes = 0;
        this.guard.resume();
        return rows;
      }
      if (this.goOn()) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Every row that has arrived was taken: asks the server to go on, if it waits for that. @returns whether this is the end */
  protected abstract goOn(): boolean;

  /** @returns false: the result cannot be given, and this has failed */
  protected describe(fields: readonly SqlField[]): boolean {
    const names = new Set(fields.map(({ name }) => name));
    if (names.size < fields.length) {
      const twice = fields.find(({ name }, at) => fields.findIndex((one) => one.name === name) !== at);
      const shown = this.masked(twice?.name ?? '').slice(0, MAX_NAME_CHARS);
      const message = `the result has two columns that are named "${shown}": name one of them with AS`;
      this.fail(new LayerFailure('invalid_args', message));
      return false;
    }
    this.fields = fields.map(({ name, type }) => ({ name: this.masked(name), type }));
    this.emptyBytes = this.fields.reduce((bytes, { name }) => bytes + name.length + CELL_BYTES, 0);
    return true;
  }

  /** @param values as many as there are fields @param bytes that the server sent for them */
  protected give(values: readonly unknown[], bytes: number): void {
    this.waiting.push(Object.fromEntries(this.fields.map(({ name }, at) => [name, values[at]])));
    this.waitingBytes += bytes + this.emptyBytes;
    if (this.waitingBytes > MAX_WAITING_BYTES) this.guard.pause();
    this.wakeUp();
  }

  protected fail(error: Error): void {
    this.failure ??= error;
    this.guard.resume();
    this.wakeUp();
  }

  protected wakeUp(): void {
    this.wake?.();
    this.wake = null;
  }
}
