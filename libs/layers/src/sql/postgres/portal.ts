/**
 * One statement in the extended protocol, as the driver's connection runs it: always one statement, whose values never are a part
 * of its text.
 */
import type { Connection, Submittable } from 'pg';
import { LayerFailure } from '../../layer-module.js';
import { Answer } from '../answer.js';
import type { Statement } from '../database.js';
import type { MessageGuard } from '../message-guard.js';
import { nameOfType, readerOf, writeValue } from './values.js';

/** Rows of one request to the server. */
const ROWS_AT_ONCE = 1_000;

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

export class Portal extends Answer implements Submittable {
  private wire: Wire | undefined;
  private readers: readonly ((text: string) => unknown)[] = [];
  /** Rows that the server may still send, and that it has sent. */
  private wanted = 0;
  private given = 0;
  private state: 'running' | 'suspended' | 'complete' | 'done' = 'running';
  private hasSynced = false;
  private isBound = false;
  /** In a transaction: the server has more rows, and is about to be ready for the request. */
  private isSuspended = false;

  constructor(
    private readonly statement: Statement,
    guard: MessageGuard,
    masked: (text: string) => string,
    /**
     * Within a transaction: submits this again, after some of its rows. The server then hears of the end of each request at once, because
     * that commits nothing; when nobody continues, its own time limit for a transaction ends it. Null: what the statement changes is
     * committed when its rows have been taken.
     */
    private readonly again: (() => void) | null,
  ) {
    super(guard, masked);
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
    const isTaken = this.describe(fields.map(({ name, dataTypeID }) => ({ name, type: nameOfType(dataTypeID) })));
    if (isTaken) this.readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID));
  }

  handleDataRow({ fields: texts, length }: { readonly fields: readonly (string | null)[]; readonly length: number }) {
    if (this.failure) return;
    if (texts.length !== this.fields.length) throw new RangeError('a row does not have the columns of its result');
    if (this.wanted === 0) throw new RangeError('more rows than the server was asked for');
    this.wanted -= 1;
    this.given += 1;
    const values = texts.map((text, at) => (text === null ? null : (this.readers[at]?.(this.masked(text)) ?? null)));
    this.give(values, length);
  }

  handlePortalSuspended(): void {
    if (this.wanted > 0)
      throw new RangeError('fewer rows than the server was asked for, and the statement has not ended');
    if (this.again) this.isSuspended = true;
    else this.become('suspended');
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // of a statement with many rows, the tag counts those of the last request alone
    this.rowCount = Math.max(this.given, Number(/ (\d{1,15})$/.exec(text)?.[1] ?? 0));
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

  protected override goOn(): boolean {
    if (this.state === 'complete') this.sync();
    if (this.state === 'suspended') this.continue();
    return this.state === 'done';
  }

  protected override fail(error: Error): void {
    this.forget();
    super.fail(error);
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

  private continue(): void {
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
}
