import mongoose, { type ClientSession, type Connection, type mongo } from 'mongoose';
import { deriveAuditKey, type AuditKey } from './audit/audit-key.js';
import { ServerClock } from './server-clock.js';

export interface MongoOptions {
  readonly uri: string;
  readonly db: string;
  /** Shows in MongoDB's logs: which process this connection belongs to. */
  readonly appName: string;
  readonly maxPoolSize?: number;
  /** What audit entries are signed with. A process that serves has one; without it, entries are signed with a key that everybody knows. */
  readonly auditKey?: AuditKey;
}

const NO_KEY = deriveAuditKey('', '');

/** Durable before it is acknowledged: every write of the product uses this. */
export const MAJORITY: mongo.WriteConcernSettings = { w: 'majority', journal: true };

/** Silence after which the driver fails a command: none that is alive is older. */
export const SOCKET_TIMEOUT_MS = 30_000;

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

  private constructor(
    readonly connection: Connection,
    readonly auditKey: AuditKey,
  ) {
    connection.getClient().on('serverHeartbeatSucceeded', ({ reply }: { reply?: { localTime?: Date } }) => {
      if (reply?.localTime) this.clock.heard(reply.localTime.getTime());
    });
  }

  static async open(options: MongoOptions): Promise<Mongo> {
    const connection = mongoose.createConnection(options.uri, {
      dbName: options.db,
      appName: options.appName,
      maxPoolSize: options.maxPoolSize ?? 20,
      serverSelectionTimeoutMS: 4_000,
      socketTimeoutMS: SOCKET_TIMEOUT_MS,
      heartbeatFrequencyMS: 2_000,
      writeConcern: MAJORITY,
      readConcern: { level: 'majority' },
      retryWrites: true,
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      sanitizeFilter: true,
      monitorCommands: true, // libs/host counts and times every operation
    });
    connection.on('error', () => undefined); // reported by health, and by every operation that fails
    const opened = new Mongo(connection, options.auditKey ?? NO_KEY);
    await connection.asPromise();
    return opened;
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

  collection<T extends mongo.Document>(name: string): mongo.Collection<T> {
    return this.db.collection<T>(name);
  }

  /** MongoDB's clock, epoch milliseconds: see `ServerClock`. */
  serverNow(): number {
    return this.clock.now();
  }

  /** Asks MongoDB for its time now: what a busy process heard while it started may have waited long to be read. */
  async hearClock(): Promise<void> {
    const { localTime } = await this.db.admin().command({ hello: 1 });
    if (localTime instanceof Date) this.clock.heard(localTime.getTime());
  }

  /** All or nothing, durable; repeated by the driver on transient conflicts, so `work` must be safe to run again. */
  async transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.connection.getClient().withSession<T>((session) => {
      OWNERS.set(session, this);
      return session.withTransaction(() => work(session), {
        writeConcern: MAJORITY,
        readConcern: { level: 'majority' },
      });
    });
  }

  /**
   * Reads see one point in time, without locks; for up to five minutes.
   *
   * @param read gives each of its queries options of `at` of its own: the driver writes the time into them, and would read
   * by the concern of the connection, which is no snapshot, without
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
