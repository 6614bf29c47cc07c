/**
 * One statement in the extended protocol, as the driver's connection runs it: always one statement, whose values never are a part
 * of its text. Rows are given out while they arrive; while too many wait, the server is not read.
 */
import type { Connection, Submittable } from 'pg';
import { LayerFailure } from '../layer-module.js';
import { nameOfType, readerOf, writeValue } from './values.js';
import type { WireGuard } from './wire-guard.js';

/** Rows of one request to the server. */
const ROWS_AT_ONCE = 1_000;
/** Of rows that wait to be read. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** What a value needs besides its text and the name of its column. */
const CELL_BYTES = 32;

export interface SqlField {
  readonly name: string;
  readonly type: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  /** With `$1`, `$2`, … */
  readonly text: string;
  readonly values: readonly unknown[];
  /** For messages: what the values are called. */
  readonly where: string;
}

/** What the driver's connection has and its types leave out. */
type Wire = Omit<Connection, 'parse' | 'bind' | 'execute' | 'describe'> & {
  parse(query: { readonly text: string }): void;
  bind(config: { readonly values: readonly (string | null)[] }): void;
  execute(config: { readonly rows: number }): void;
  describe(what: { readonly type: 'P' | 'S'; readonly name: string }): void;
};

interface WireField {
  readonly name: string;
  readonly dataTypeID: number;
}

export class Portal implements Submittable {
  fields: readonly SqlField[] = [];
  /** Rows that the statement changed or gave. */
  rowCount = 0;
  /** What the rows that were read need in memory, about. */
  readBytes = 0;
  private wire: Wire | undefined;
  private readers: readonly ((text: string) => unknown)[] = [];
  /** Of a row without its values. */
  private emptyBytes = 0;
  /** Rows that the server may still send. */
  private wanted = 0;
  private waiting: Row[] = [];
  private waitingBytes = 0;
  private state: 'running' | 'suspended' | 'complete' | 'done' = 'running';
  private failure: Error | null = null;
  private hasSynced = false;
  private isBound = false;
  /** In a transaction: the server has more rows, and is about to be ready for the request. */
  private isSuspended = false;
  private wake: (() => void) | null = null;

  constructor(
    private readonly statement: Statement,
    private readonly guard: WireGuard,
    /** Removes the password of the link from what the server sends. */
    private readonly masked: (text: string) => string,
    /**
     * Within a transaction: submits this again, after some of its rows. The server then hears of the end of each request at once, because
     * that commits nothing; when nobody continues, its own time limit for a transaction ends it. Null: what the statement changes is
     * committed when its rows have been taken.
     */
    private readonly again: (() => void) | null,
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
      if (this.state === 'done') return null;
      if (this.state === 'complete') this.sync();
      if (this.state === 'suspended') this.goOn();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    this.wire = wire;
    if (this.isBound) return this.execute();
    const { text, values } = this.statement;
    wire.parse({ text });
    // only the type of the parameter says whether a list is JSON
    if (values.some((value) => typeof value === 'object' && value !== null)) {
      const bind = ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }): void => this.bind(dataTypeIDs);
      wire.once('parameterDescription', bind);
      this.forget = () => void wire.removeListener('parameterDescription', bind);
      wire.describe({ type: 'S', name: '' });
      wire.flush();
    } else this.bind([]);
  }

  handleRowDescription({ fields }: { readonly fields: readonly WireField[] }): void {
    const names = new Set(fields.map(({ name }) => name));
    if (names.size < fields.length) {
      const twice = fields.find(({ name }, at) => fields.findIndex((one) => one.name === name) !== at);
      const message = `the result has two columns that are named "${twice?.name}": name one of them with AS`;
      return this.fail(new LayerFailure('invalid_args', message));
    }
    this.fields = fields.map(({ name, dataTypeID }) => ({ name: this.masked(name), type: nameOfType(dataTypeID) }));
    this.readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID));
    this.emptyBytes = this.fields.reduce((bytes, { name }) => bytes + name.length + CELL_BYTES, 0);
  }

  handleDataRow({ fields: texts, length }: { readonly fields: readonly (string | null)[]; readonly length: number }) {
    if (this.failure) return;
    if (texts.length !== this.fields.length) throw new RangeError('a row does not have the columns of its result');
    if (this.wanted === 0) throw new RangeError('more rows than the server was asked for');
    this.wanted -= 1;
    const values = texts.map((text, at) => [
      this.fields[at]?.name,
      text === null ? null : (this.readers[at]?.(this.masked(text)) ?? null),
    ]);
    this.waiting.push(Object.fromEntries(values) as Row);
    this.waitingBytes += length + this.emptyBytes;
    if (this.waitingBytes > MAX_WAITING_BYTES) this.guard.pause();
    this.wakeUp();
  }

  handlePortalSuspended(): void {
    if (this.wanted > 0)
      throw new RangeError('fewer rows than the server was asked for, and the statement has not ended');
    if (this.again) this.isSuspended = true;
    else this.become('suspended');
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.rowCount = Number(/ (\d{1,15})$/.exec(text)?.[1] ?? 0);
    this.become('complete');
  }

  handleEmptyQuery(): void {
    this.become('complete');
  }

  handleReadyForQuery(): void {
    if (this.isSuspended) {
      this.isSuspended = false;
      this.hasSynced = false;
      return this.become('suspended');
    }
    // a server that is ready without having been asked has lost the statement
    if (this.state !== 'complete') this.fail(new LayerFailure('connect_failed', 'the server lost the statement'));
    else this.become('done');
  }

  handleCopyInResponse(): void {
    this.handleCopyData();
  }

  handleCopyData(): void {
    this.fail(new LayerFailure('invalid_args', 'COPY is not a query'));
  }

  /** Of the server, and of the connection. */
  handleError(error: Error): void {
    this.fail(error);
    this.sync();
  }

  private forget = (): void => undefined;

  private bind(types: readonly number[]): void {
    const { wire, statement } = this;
    if (!wire || this.failure) return;
    try {
      const values = statement.values.map((value, at) => writeValue(value, types[at], `${statement.where}[${at}]`));
      wire.bind({ values });
      this.isBound = true;
    } catch (error) {
      // nothing was bound: the server is ready again
      this.fail(error as Error);
      return this.sync();
    }
    wire.describe({ type: 'P', name: '' });
    this.execute();
  }

  private goOn(): void {
    this.state = 'running';
    if (this.again) this.again();
    else this.execute();
  }

  private execute(): void {
    this.state = 'running';
    this.wanted = ROWS_AT_ONCE;
    this.wire?.execute({ rows: ROWS_AT_ONCE });
    if (this.again) this.sync();
    else this.wire?.flush();
  }

  /** The end of the statement, of which the server hears once: outside of a transaction what it changed is committed now. */
  private sync(): void {
    if (!this.hasSynced) this.wire?.sync();
    this.hasSynced = true;
  }

  private become(state: Portal['state']): void {
    this.state = state;
    this.wakeUp();
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.forget();
    this.guard.resume();
    this.wakeUp();
  }

  private wakeUp(): void {
    this.wake?.();
    this.wake = null;
  }
}
