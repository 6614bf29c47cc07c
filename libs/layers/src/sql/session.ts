import type { Client } from 'pg';
import type { Socket } from 'node:net';
import { LayerFailure } from '../layer-module.js';
import { withoutSecret } from '../call/without-secret.js';
import type { DatabasePlace } from './database-place.js';
import { Portal, type Row, type SqlField, type Statement } from './portal.js';
import { asSqlFailure, whyAborted } from './sql-failure.js';
import type { RoomForMessage, WireGuard } from './wire-guard.js';

/** After a cancel the server has this long to end the statement. */
const ENDS_WITHIN_MS = 2_000;
const CANCEL_REQUEST = 80_877_102;
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
}

/** How a call uses the session. */
export interface SessionUse {
  readonly playId: string;
  readonly timeoutMs: number;
  readonly isReadOnly: boolean;
  readonly signal: AbortSignal;
  /** Without it, the call receives little. */
  readonly room?: Room;
}

/** Room in the memory of the process for what a call receives. */
export interface Room {
  /** @param bytes of all its rows so far @returns a promise only where the call has to wait */
  forRows(bytes: number): Promise<unknown> | undefined;
  forMessage: RoomForMessage;
}

export const ISOLATIONS = ['read committed', 'repeatable read', 'serializable'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** One connection that is logged in. A failed session is never used again. */
export class Session {
  isBroken = false;
  private use: SessionUse | undefined;
  private isInTransaction = false;
  /** Of the rows that the call has. */
  private heldBytes = 0;

  /** @param dial another socket to the same server, for cancelling */
  constructor(
    private readonly client: Client,
    private readonly guard: WireGuard,
    private readonly place: DatabasePlace,
    private readonly dial: (signal: AbortSignal) => Promise<Socket>,
  ) {
    client.on('error', () => this.close());
    client.on('end', () => this.close());
  }

  /** Called before the first statement of a call. */
  async begin(use: SessionUse): Promise<void> {
    this.use = use;
    this.heldBytes = 0;
    const ms = String(Math.ceil(use.timeoutMs));
    const settings: Record<string, string> = {
      statement_timeout: ms,
      idle_in_transaction_session_timeout: ms,
      default_transaction_read_only: use.isReadOnly ? 'on' : 'off',
      application_name: `weft:${use.playId}`,
      ...{ DateStyle: 'ISO, MDY', IntervalStyle: 'postgres', bytea_output: 'hex', extra_float_digits: '3' },
      ...{ standard_conforming_strings: 'on' },
      ...(this.place.schema !== null && { search_path: `"${this.place.schema.replaceAll('"', '""')}"` }),
    };
    const calls = Object.keys(settings).map(
      (_name, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false) as c${at}`,
    );
    await this.say(`select ${calls.join(', ')}`, Object.entries(settings).flat());
  }

  /**
   * Runs `work` in a transaction, which is rolled back when it fails. A read-only one cannot become another: its snapshot is taken.
   */
  async transaction<T>(isolation: Isolation | null, work: () => Promise<T>): Promise<T> {
    const level = isolation === null ? '' : ` isolation level ${isolation}`;
    await this.say(`begin${level}${this.use?.isReadOnly ? ' read only' : ''}`);
    this.isInTransaction = true;
    if (this.use?.isReadOnly) await this.say('select 1');
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
    const portal = this.open(statement, bytes);
    const before = this.heldBytes;
    for await (const some of this.batches(portal)) {
      if (rows.length + some.length > most) {
        throw new LayerFailure(
          'too_many_rows',
          `the statement gives more than ${most} rows: narrow it, raise maxRows, or use mode "file"`,
        );
      }
      rows.push(...some);
      this.heldBytes = before + portal.readBytes;
      if (this.heldBytes > MAX_HELD_BYTES) {
        throw new LayerFailure(
          'output_too_large',
          `the rows and their columns need more than ${MAX_HELD_BYTES} bytes: narrow the statement, or use mode "file"`,
        );
      }
      await this.use?.room?.forRows(this.heldBytes);
    }
    return { rows, rowCount: portal.rowCount, fields: portal.fields };
  }

  /** The same without its rows. */
  async changes(statement: Statement): Promise<number> {
    const portal = this.open(statement, MAX_STREAM_BYTES);
    for await (const some of this.batches(portal)) void some;
    return portal.rowCount;
  }

  /** The rows as they arrive; the server is not read faster. */
  async *stream(statement: Statement, onFields: (fields: readonly SqlField[]) => void): AsyncGenerator<readonly Row[]> {
    const portal = this.open(statement, MAX_STREAM_BYTES);
    let isFirst = true;
    for await (const some of this.batches(portal)) {
      if (isFirst) onFields(portal.fields);
      isFirst = false;
      yield some;
    }
    if (isFirst) onFields(portal.fields);
  }

  /** Makes the session as it was when it was opened. @returns whether it can be used again */
  async reset(): Promise<boolean> {
    if (this.isBroken) return false;
    const signal = AbortSignal.timeout(ENDS_WITHIN_MS);
    this.use = { playId: '', timeoutMs: ENDS_WITHIN_MS, isReadOnly: false, signal };
    await this.say('discard all').catch(() => this.close());
    this.use = undefined;
    return !this.isBroken;
  }

  /** Whether the call of the session can only read. */
  get isReadOnly(): boolean {
    return this.use?.isReadOnly ?? false;
  }

  /** By the statement that ran last. */
  get receivedBytes(): number {
    return this.guard.receivedBytes;
  }

  onClose(listener: () => void): void {
    this.guard.once('close', listener);
  }

  close(): void {
    this.isBroken = true;
    this.guard.destroy();
  }

  private masked(text: string): string {
    const { password } = this.place;
    return password !== '' && text.includes(password) ? withoutSecret(text, [password]) : text;
  }

  private async say(text: string, values: readonly unknown[] = []): Promise<void> {
    const portal = this.open({ text, values, where: 'params' }, OWN_BYTES);
    for await (const some of this.batches(portal)) void some;
  }

  private open(statement: Statement, bytes: number): Portal {
    this.guard.limit(bytes, this.use?.room?.forMessage ?? null);
    const again = (): void => void this.client.query(portal);
    const masked = (text: string): string => this.masked(text);
    const portal: Portal = new Portal(statement, this.guard, masked, this.isInTransaction ? again : null);
    this.client.query(portal);
    return portal;
  }

  private async *batches(portal: Portal): AsyncGenerator<readonly Row[]> {
    const signal = this.use?.signal;
    let isDone = false;
    let late: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      late = setTimeout(() => this.close(), ENDS_WITHIN_MS);
      this.cancel().catch(() => this.close());
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for (let rows = await portal.read(); rows; rows = await portal.read()) yield rows;
      isDone = true;
    } catch (error) {
      const cause = error instanceof LayerFailure ? error : (this.guard.errored ?? error);
      const failure = asSqlFailure(cause, this.place.host, (text) => this.masked(text));
      // after an error of the server the session can say rollback
      isDone = failure.out !== undefined;
      throw signal?.aborted ? whyAborted(signal, this.place.host) : failure;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener('abort', onAbort);
      // what is not at its end is not committed: the server takes it back; and a late cancel would end the next statement
      if (!isDone || signal?.aborted) this.close();
    }
  }

  /** Asks the server to end the statement that runs, over a connection of its own. */
  private async cancel(): Promise<void> {
    const { processID, secretKey } = this.client as unknown as { processID: number; secretKey: number };
    const socket = await this.dial(AbortSignal.timeout(ENDS_WITHIN_MS));
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(CANCEL_REQUEST, 4);
    request.writeInt32BE(processID, 8);
    request.writeInt32BE(secretKey, 12);
    socket.resume();
    socket.end(request);
    socket.setTimeout(ENDS_WITHIN_MS, () => socket.destroy());
  }
}
