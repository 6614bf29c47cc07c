import { TimeLimit } from '@weft/concurrency';
import { LayerFailure } from '../layer-module.js';
import type { Answer, Row, SqlField } from './answer.js';
import type { Database, Isolation, SessionUse, Statement } from './database.js';
import type { DatabasePlace } from './database-place.js';
import { asSqlFailure, maskOf, whyAborted } from './sql-failure.js';

/** After a cancel the server has this long to end the statement. */
const ENDS_WITHIN_MS = 2_000;
/** How long the server has beyond the time limit of a statement, which it keeps by itself where it can. */
const GRACE_MS = 2_000;
const MB = 1024 * 1024;
/** Of commands that Weft says itself. */
const OWN_BYTES = MB / 4;
/** Of a statement whose rows are not kept: the time that they take is that of all plays of the worker. */
const MAX_STREAM_BYTES = 512 * MB;
/** What the rows of a call may need in memory. */
export const MAX_HELD_BYTES = 64 * MB;

export interface Rows {
  readonly rows: readonly Row[];
  readonly rowCount: number;
  readonly fields: readonly SqlField[];
  readonly insertId: string | null;
}

/** One connection that is logged in. A failed session is never used again. */
export class Session {
  isBroken = false;
  private use: SessionUse | undefined;
  private isInTransaction = false;
  /** Of the rows that the call has. */
  private heldBytes = 0;

  constructor(
    private readonly database: Database,
    private readonly place: DatabasePlace,
  ) {}

  get engine(): Database['engine'] {
    return this.database.engine;
  }

  /** Called before the first statement of a call. */
  async begin(use: SessionUse): Promise<void> {
    this.use = use;
    this.heldBytes = 0;
    await this.own(() => this.database.settle(use));
  }

  /**
   * Runs `work` in a transaction, which is rolled back when it fails. A read-only one cannot become another.
   */
  async transaction<T>(isolation: Isolation | null, work: () => Promise<T>): Promise<T> {
    for (const command of this.database.begins(isolation, this.isReadOnly)) await this.say(command);
    this.isInTransaction = true;
    const result = await work().catch(async (error: unknown) => {
      if (!this.isBroken) await this.say('rollback').catch(() => this.close());
      this.isInTransaction = false;
      throw error;
    });
    await this.say('commit').finally(() => (this.isInTransaction = false));
    return result;
  }

  /**
   * All rows of a statement. What it changed outside of a transaction is taken back when it fails.
   *
   * @throws LayerFailure `too_many_rows`, `output_too_large` and those of `asSqlFailure`
   */
  async all(statement: Statement, { most, bytes }: { readonly most: number; readonly bytes: number }): Promise<Rows> {
    const rows: Row[] = [];
    const answer = this.open(statement, bytes);
    const before = this.heldBytes;
    for await (const some of this.batches(answer)) {
      if (rows.length + some.length > most) {
        throw new LayerFailure(
          'too_many_rows',
          `the statement gives more than ${most} rows: narrow it, raise maxRows, or use mode "file"`,
        );
      }
      rows.push(...some);
      this.heldBytes = before + answer.readBytes;
      if (this.heldBytes > MAX_HELD_BYTES) {
        throw new LayerFailure(
          'output_too_large',
          `the rows and their columns need more than ${MAX_HELD_BYTES} bytes: narrow the statement, or use mode "file"`,
        );
      }
      await this.use?.room?.forRows(this.heldBytes);
    }
    const { rowCount, fields, insertId } = answer;
    return { rows, rowCount, fields, insertId };
  }

  /** The same without its rows. */
  async changes(statement: Statement): Promise<Omit<Rows, 'rows'>> {
    const answer = this.open(statement, MAX_STREAM_BYTES);
    for await (const some of this.batches(answer)) void some;
    return answer;
  }

  /** The rows as they arrive; the server is not read faster. */
  async *stream(statement: Statement, onFields: (fields: readonly SqlField[]) => void): AsyncGenerator<readonly Row[]> {
    const answer = this.open(statement, MAX_STREAM_BYTES);
    let isFirst = true;
    for await (const some of this.batches(answer)) {
      if (isFirst) onFields(answer.fields);
      isFirst = false;
      yield some;
    }
    if (isFirst) onFields(answer.fields);
  }

  /** Makes the session as it was when it was opened. @returns whether it can be used again */
  async reset(): Promise<boolean> {
    if (this.isBroken) return false;
    const signal = AbortSignal.timeout(ENDS_WITHIN_MS);
    this.use = { playId: '', timeoutMs: ENDS_WITHIN_MS, isReadOnly: false, signal };
    await this.own(() => this.database.reset()).catch(() => this.close());
    this.use = undefined;
    return !this.isBroken;
  }

  /** Whether the call of the session can only read. */
  get isReadOnly(): boolean {
    return this.use?.isReadOnly ?? false;
  }

  /** By the statement that ran last. */
  get receivedBytes(): number {
    return this.database.guard.receivedBytes;
  }

  onClose(listener: () => void): void {
    this.database.guard.once('close', listener);
  }

  close(): void {
    this.isBroken = true;
    this.database.guard.destroy();
  }

  /** A command of Weft itself. */
  async say(command: string): Promise<void> {
    await this.own(() => this.database.say(command));
  }

  private async own(begin: () => Answer): Promise<void> {
    this.database.guard.limit(OWN_BYTES, null);
    for await (const some of this.batches(begin())) void some;
  }

  private open(statement: Statement, bytes: number): Answer {
    this.database.guard.limit(bytes, this.use?.room?.forMessage ?? null);
    const { isInTransaction, isReadOnly } = this;
    return this.database.run(statement, { isInTransaction, isReadOnly });
  }

  private async *batches(answer: Answer): AsyncGenerator<readonly Row[]> {
    const { host, password } = this.place;
    const signal = this.use?.signal;
    let isDone = false;
    let isLate = false;
    let leaves: NodeJS.Timeout | undefined;
    const stop = (): void => {
      if (leaves) return;
      leaves = setTimeout(() => this.close(), ENDS_WITHIN_MS);
      this.database.cancel(AbortSignal.timeout(ENDS_WITHIN_MS)).catch(() => this.close());
    };
    const limit = new TimeLimit((this.use?.timeoutMs ?? ENDS_WITHIN_MS) + GRACE_MS, () => {
      isLate = true;
      stop();
    });
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    try {
      for (let rows = await answer.read(); rows; rows = await answer.read()) yield rows;
      isDone = true;
    } catch (error) {
      const cause = error instanceof LayerFailure ? error : (this.database.guard.errored ?? error);
      const failure = asSqlFailure(cause, host, maskOf(password));
      // after an error of the server the session can say rollback
      isDone = failure.out !== undefined;
      if (signal?.aborted) throw whyAborted(signal, host);
      throw isLate ? new LayerFailure('timeout', `${host} did not end the statement within its time limit`) : failure;
    } finally {
      limit.end();
      clearTimeout(leaves);
      signal?.removeEventListener('abort', stop);
      // what is not at its end is not committed: the server takes it back; and a late cancel would end the next statement
      if (!isDone || leaves) this.close();
    }
  }
}
