import mongoose, { type ClientSession, type Connection, type mongo } from 'mongoose';
import { deriveAuditKey, type AuditKey } from '../audit/audit-key.js';
import { boundedCollection } from './bounded-collection.js';
import { PrimaryHellos, type Hello } from './primary-hellos.js';
import { ServerClock } from './server-clock.js';
import { TransactionPatience } from './transaction-patience.js';
import { unsuitable, type KindOfServer, type UnsuitableMongo } from './unsuitable-mongo.js';

export interface MongoOptions {
  readonly uri: string;
  readonly db: string;
  /** Shows in MongoDB's logs: which process this connection belongs to. */
  readonly appName: string;
  /** The most connections for operations; default: `maxPoolSize` of the address, else 20. */
  readonly maxPoolSize?: number;
  /** How long a server of the right kind is looked for, in ms; default 4 s. */
  readonly selectWithinMs?: number;
  /** How long one operation may take, in ms; default 10 s. */
  readonly answerWithinMs?: number;
  /** What audit entries are signed with. A process that serves has one; without it, entries are signed with a key that everybody knows. */
  readonly auditKey?: AuditKey;
}

const NO_KEY = deriveAuditKey('', '');

/** Durable before it is acknowledged: every write of the product uses this. */
export const MAJORITY: mongo.WriteConcernSettings = { w: 'majority', journal: true };

/** Silence after which the driver fails a command: none that is alive is older. */
export const SOCKET_TIMEOUT_MS = 30_000;

/**
 * A server that does not answer a heartbeat for this time is given up, with everything that waits for it; 2 s later if it
 * had been answering. Also the limit of a new connection.
 */
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_WITHIN_MS = 10_000;

const POOL_SIZE = 20;

function poolSizeOf(uri: string): number | undefined {
  const size = Number(new URLSearchParams(uri.split('?')[1]).get('maxPoolSize'));
  return size > 0 ? size : undefined;
}

/** Options of one query. */
export interface SnapshotRead {
  readonly session: ClientSession;
  readonly readConcern: { readonly level: 'snapshot' };
}

/** Which connection a transaction's session came from, so that what takes part in it needs the session alone. */
const OWNERS = new WeakMap<ClientSession, Mongo>();

/**
 * The one connection of a process to MongoDB. `connection` serves mongoose models (everything that is not hot);
 * `collection` is the driver's, for the run path.
 */
export class Mongo {
  private readonly clock = new ServerClock(
    () => performance.now(),
    () => Date.now(),
  );
  private readonly hellos = new PrimaryHellos();
  private readonly collections = new Map<string, mongo.Collection>();
  private elected: string | undefined;

  private constructor(
    readonly connection: Connection,
    readonly auditKey: AuditKey,
    private readonly answerWithinMs: number,
  ) {
    const client = connection.getClient();
    client.on('serverHeartbeatSucceeded', ({ reply }: { reply?: Hello }) => this.hear(reply));
    client.on('serverDescriptionChanged', ({ newDescription: { type, electionId } }) => {
      if (type === 'RSPrimary') this.elected = electionId?.toString();
    });
  }

  /** @throws UnsuitableMongo also where the driver only says that it found no server of the right kind */
  static async open(options: MongoOptions): Promise<Mongo> {
    const connection = mongoose.createConnection(options.uri, {
      dbName: options.db,
      appName: options.appName,
      maxPoolSize: options.maxPoolSize ?? poolSizeOf(options.uri) ?? POOL_SIZE,
      serverSelectionTimeoutMS: options.selectWithinMs ?? 4_000,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      socketTimeoutMS: SOCKET_TIMEOUT_MS,
      heartbeatFrequencyMS: 2_000,
      writeConcern: MAJORITY,
      readConcern: { level: 'majority' },
      readPreference: 'primary', // whatever the address says (ADR 139)
      retryWrites: true,
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      sanitizeFilter: true,
      monitorCommands: true, // libs/process counts and times every operation
    });
    connection.on('error', () => undefined); // reported by health, and by every operation that fails
    const opened = new Mongo(connection, options.auditKey ?? NO_KEY, options.answerWithinMs ?? ANSWER_WITHIN_MS);
    const heard: { fault: UnsuitableMongo | null } = { fault: null };
    const client = connection.getClient();
    const hear = ({ reply }: { reply?: KindOfServer }): void => void (heard.fault = unsuitable(reply ?? {}));
    client.on('serverHeartbeatSucceeded', hear);
    try {
      await connection.asPromise();
      const fault = unsuitable(await opened.db.command({ hello: 1 }, { signal: opened.deadline() }));
      if (fault) throw fault;
      return opened;
    } catch (error) {
      await connection.close().catch(() => undefined);
      if (heard.fault) throw heard.fault;
      throw error;
    } finally {
      client.off('serverHeartbeatSucceeded', hear);
    }
  }

  /** The connection that a transaction's session belongs to. */
  static of(session: ClientSession): Mongo {
    const opened = OWNERS.get(session);
    if (!opened) throw new TypeError('the session was not opened by Mongo.transaction');
    return opened;
  }

  get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  /**
   * The election of the primary that commands are sent to; undefined until one is known. The driver (7.8) says that there was another
   * one before it sends the new primary anything: `Topology.serverUpdateHandler` emits the event, and then hands servers out.
   */
  get election(): string | undefined {
    return this.elected;
  }

  /** Its operations reject with a `TimeoutError` when they take too long: no caller waits without end. */
  collection<T extends mongo.Document>(name: string): mongo.Collection<T> {
    let bounded = this.collections.get(name);
    if (!bounded) {
      bounded = boundedCollection(this.db.collection(name), this.answerWithinMs);
      this.collections.set(name, bounded);
    }
    return bounded as unknown as mongo.Collection<T>;
  }

  /** For cursors that are read for longer than an operation may take: only their single commands are bounded, at 30 s. */
  walked<T extends mongo.Document>(name: string): mongo.Collection<T> {
    return this.db.collection<T>(name);
  }

  /** MongoDB's clock, epoch milliseconds: see `ServerClock`. */
  serverNow(): number {
    return this.clock.now();
  }

  /** Asks MongoDB for its time now: the answers that a busy process got while it started may have waited long to be read. */
  async hearClock(): Promise<void> {
    this.hear(await this.db.command({ hello: 1 }, { signal: this.deadline() }));
  }

  private hear(hello: Hello | undefined): void {
    const heard = this.hellos.read(hello);
    if (heard?.isAnother) this.clock.forget();
    if (heard) this.clock.heard(heard.timeMs);
  }

  /**
   * All or nothing, durable; repeated by the driver on transient conflicts, so `work` must be safe to run again. While MongoDB
   * is unreachable it is repeated for as long as an operation may take.
   *
   * @throws the error of an unreachable store also when it is not known whether it was stored
   */
  async transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    const patience = new TransactionPatience(this.answerWithinMs);
    const done = this.connection.getClient().withSession<T>((session) => {
      OWNERS.set(session, this);
      return session.withTransaction(() => patience.during(() => work(session)), {
        writeConcern: MAJORITY,
        readConcern: { level: 'majority' },
      });
    });
    return patience.with(done);
  }

  /** For a command of its own. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(this.answerWithinMs);
  }

  /**
   * Reads see one point in time, without locks; for up to five minutes.
   *
   * @param read passes the options of `at` to each of its queries: the driver writes the time into them. A query without
   * them would use the read concern of the connection, which is not a snapshot
   */
  async snapshot<T>(read: (at: () => SnapshotRead) => Promise<T>): Promise<T> {
    return this.connection
      .getClient()
      .withSession<T>({ snapshot: true }, (session) => read(() => ({ session, readConcern: { level: 'snapshot' } })));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}
