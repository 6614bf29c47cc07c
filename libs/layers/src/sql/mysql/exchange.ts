/** What a command asks, and how the server answers it: one command at a time, packets in their order, and each as long as it says. */
import { LayerFailure } from '../../layer-module.js';
import { Answer } from '../answer.js';
import type { Standing, Statement } from '../database.js';
import { MAX_PACKET_BYTES, type MysqlGuard } from './mysql-guard.js';
import type { Packet } from './packet.js';
import { errorIn } from './said-by-mysql.js';
import { readColumn, writeParameter, type Column } from './values.js';

const [QUERY, RESET, PREPARE, EXECUTE, CLOSE] = [0x03, 0x1f, 0x16, 0x17, 0x19];
const [OK, FILE, END, ERROR] = [0x00, 0xfb, 0xfe, 0xff];
/** Of a packet that ends columns or rows: one that begins like it and is longer has a value of 8 bytes. */
const END_BYTES = 5;
const [IN_TRANSACTION, MORE_RESULTS] = [0x1, 0x8];
/** MySQL has no more in a table. */
const MAX_COLUMNS = 4_096;

/** What the server has prepared last. */
export interface Prepared {
  readonly text: string;
  readonly id: number;
  readonly places: number;
}

/** The connection, as its commands see it. */
export interface Line {
  readonly guard: MysqlGuard;
  readonly masked: (text: string) => string;
  /** MariaDB says more of each column. */
  readonly isExtended: boolean;
  prepared: Prepared | null;
}

export abstract class Exchange extends Answer {
  /** The server has nothing more to say. */
  isOver = false;

  constructor(protected readonly line: Line) {
    super(line.guard, line.masked);
  }

  /** @throws RangeError for what is not an answer */
  take(packet: Packet): void {
    if (packet.kind !== ERROR) return this.hear(packet);
    this.isOver = true;
    this.fail(errorIn(packet));
  }

  /** The connection has ended. */
  lose(error: Error): void {
    this.isOver = true;
    this.fail(error);
  }

  protected abstract hear(packet: Packet): void;

  protected override goOn(): boolean {
    return this.isOver;
  }

  /** @param commands each of which is a packet */
  protected send(...commands: readonly (readonly Uint8Array[])[]): void {
    this.line.guard.write(Buffer.concat(commands.flatMap(packetOf)));
  }
}

function packetOf(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((bytes, part) => bytes + part.byteLength, 0);
  if (length >= MAX_PACKET_BYTES) {
    throw new LayerFailure(
      'invalid_args',
      `the values have ${length} bytes: MySQL takes fewer than ${MAX_PACKET_BYTES}`,
    );
  }
  const header = Buffer.alloc(4);
  header.writeUIntLE(length, 0, 3);
  return [header, ...parts];
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** What an OK says. */
function readOk(packet: Packet) {
  const rowCount = Number(packet.skip(1).counted());
  const insertId = packet.counted();
  return { rowCount, insertId: insertId === 0n ? null : insertId.toString(), status: packet.unsigned(2) };
}

/** A command of Weft itself, which gives no rows. */
export class Command extends Exchange {
  /** @param command null: makes the connection as it was when it was logged in; what was prepared is forgotten */
  constructor(line: Line, command: string | null) {
    super(line);
    if (command === null) line.prepared = null;
    this.send(command === null ? [Buffer.from([RESET])] : [Buffer.from([QUERY]), Buffer.from(command)]);
  }

  protected override hear(packet: Packet): void {
    if (packet.kind !== OK) throw new RangeError('not the end of a command');
    readOk(packet);
    this.isOver = true;
    this.wakeUp();
  }
}

type State = 'preparing' | 'prepared' | 'executing' | 'columns' | 'rows' | 'complete' | 'committing';

/** One statement, prepared and executed, whose values never are a part of its text. */
export class Execution extends Exchange {
  private state: State = 'preparing';
  /** Packets that describe what was prepared, or columns of the result. */
  private left = 0;
  private readonly columns: Column[] = [];
  private status = 0;

  constructor(
    line: Line,
    private readonly statement: Statement,
    private readonly standing: Standing,
  ) {
    super(line);
    const { prepared } = line;
    if (prepared?.text === statement.text) {
      this.execute(prepared);
      return;
    }
    line.prepared = null;
    const prepare = [Buffer.from([PREPARE]), Buffer.from(statement.text)];
    // the server answers nothing to the first
    if (prepared) this.send([Buffer.from([CLOSE]), uint32(prepared.id)], prepare);
    else this.send(prepare);
  }

  protected override hear(packet: Packet): void {
    if (this.state === 'preparing') this.onPrepared(packet);
    else if (this.state === 'prepared') this.onDescribed();
    else if (this.state === 'executing') this.onResult(packet);
    else if (this.state === 'columns') this.onColumn(packet);
    else if (this.state === 'rows') this.onRow(packet);
    else if (this.state === 'committing' && packet.kind === OK) this.end();
    else throw new RangeError('more than the answer');
  }

  /** What the statement changed outside of a transaction is committed now. */
  protected override goOn(): boolean {
    if (this.state !== 'complete' || this.isOver) return this.isOver;
    const isOpen = (this.status & IN_TRANSACTION) !== 0;
    if (this.standing.isInTransaction || !isOpen) {
      this.end();
      return true;
    }
    this.state = 'committing';
    this.send([Buffer.from([QUERY]), Buffer.from('commit')]);
    return false;
  }

  private onPrepared(packet: Packet): void {
    if (packet.kind !== OK) throw new RangeError('not what was prepared');
    const id = packet.skip(1).unsigned(4);
    const columns = packet.unsigned(2);
    const places = packet.unsigned(2);
    this.line.prepared = { text: this.statement.text, id, places };
    this.left = [places, columns].reduce((packets, count) => packets + (count === 0 ? 0 : count + 1), 0);
    this.state = 'prepared';
    if (this.left === 0) this.execute(this.line.prepared);
  }

  private onDescribed(): void {
    this.left -= 1;
    if (this.left === 0 && this.line.prepared) this.execute(this.line.prepared);
  }

  private execute({ id, places }: Prepared): void {
    const { values, where } = this.statement;
    if (places !== values.length) {
      const message = `${where}: the statement has ${places} places, and ${values.length} values are given`;
      return this.stop(new LayerFailure('invalid_args', message));
    }
    this.state = 'executing';
    const parameters = values.map(writeParameter);
    const nulls = Buffer.alloc(Math.ceil(places / 8));
    for (const [at, value] of values.entries()) {
      if (value === null || value === undefined) nulls[at >> 3] = (nulls[at >> 3] ?? 0) | (1 << (at & 7));
    }
    const types = Buffer.from(parameters.flatMap(({ type, isUnsigned }) => [type, isUnsigned ? 0x80 : 0]));
    const given = places === 0 ? [] : [nulls, Buffer.from([1]), types, ...parameters.map(({ bytes }) => bytes)];
    try {
      this.send([Buffer.from([EXECUTE]), uint32(id), Buffer.from([0]), uint32(1), ...given]);
    } catch (error) {
      this.stop(error as Error);
    }
  }

  private onResult(packet: Packet): void {
    if (packet.kind === OK) {
      const { rowCount, insertId, status } = readOk(packet);
      this.rowCount = rowCount;
      this.insertId = insertId;
      return this.complete(status);
    }
    // a server that asks for a file of this machine gets none
    const count = packet.kind === FILE ? 0 : Number(packet.counted());
    if (count === 0 || count > MAX_COLUMNS || !packet.isAtEnd) throw new RangeError('not a number of columns');
    this.left = count;
    this.state = 'columns';
  }

  private onColumn(packet: Packet): void {
    if (this.left > 0) {
      this.left -= 1;
      this.columns.push(readColumn(packet, this.line.isExtended));
      return;
    }
    if (!isEnd(packet)) throw new RangeError('not the end of the columns');
    this.state = 'rows';
    this.describe(this.columns);
  }

  private onRow(packet: Packet): void {
    if (isEnd(packet)) return this.complete(packet.skip(3).unsigned(2));
    if (packet.kind !== OK) throw new RangeError('not a row');
    if (this.failure) return;
    const { columns } = this;
    // the first two bits stand for nothing
    const nulls = packet.skip(1).take((columns.length + 9) >> 3);
    const isNull = (at: number): boolean => ((nulls[(at + 2) >> 3] ?? 0) & (1 << ((at + 2) & 7))) !== 0;
    const values = columns.map(({ read }, at) => this.hidden(isNull(at) ? null : read(packet)));
    if (!packet.isAtEnd) throw new RangeError('a row is longer than its values');
    this.rowCount += 1;
    this.give(values, packet.length);
  }

  private hidden(value: unknown): unknown {
    return typeof value === 'string' ? this.masked(value) : value;
  }

  private complete(status: number): void {
    if ((status & MORE_RESULTS) !== 0) throw new RangeError('more results than were asked for');
    this.status = status;
    this.state = 'complete';
    if (this.standing.isInTransaction && (status & IN_TRANSACTION) === 0) {
      const message =
        'the statement has ended the transaction: what it changed, and what came before it, has taken effect';
      return this.stop(new LayerFailure('sql_failed', message));
    }
    this.wakeUp();
  }

  private end(): void {
    this.isOver = true;
    this.wakeUp();
  }

  private stop(error: Error): void {
    this.isOver = true;
    this.fail(error);
  }
}

function isEnd(packet: Packet): boolean {
  return packet.kind === END && packet.length <= END_BYTES;
}
