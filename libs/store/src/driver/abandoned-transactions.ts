import mongoose, { type ClientSession, type mongo } from 'mongoose';
import type { Mongo } from './mongo.js';

/** A transaction between two of its statements, as `$currentOp` shows it. */
interface PausedTransaction {
  readonly lsid: { readonly id: mongo.Binary };
  readonly transaction: {
    readonly parameters: { readonly txnNumber: unknown };
    /** Grows with each statement. */
    readonly timeActiveMicros: unknown;
  };
}

interface Reply {
  readonly cursor: { readonly firstBatch: readonly PausedTransaction[] };
}

/** Of processes of the product. */
const APP_NAME = /^weft-/;
/** Of one look; the next one sees others. */
const MOST = 1_000;
/** TransactionTooOld, NoSuchTransaction, TransactionCommitted: its process lives, or another scheduler has ended it. */
const OVER: ReadonlySet<unknown> = new Set([225, 251, 256]);

/**
 * Ends transactions of processes that died between two statements. MongoDB keeps such a one for a minute or more
 * (`transactionLifetimeLimitSeconds`), and whatever it has changed cannot be written meanwhile: not that play, and no lease that is renewed
 * by the same command. A process that lives and stood still for as long begins its transaction anew (`Mongo.transaction`).
 */
export class AbandonedTransactions {
  /** Since when a transaction has been seen without a further statement, by this process's monotonic clock. */
  private seen = new Map<string, number>();

  /** @param afterMs how long nothing happens in a transaction until it is taken for abandoned */
  constructor(
    private readonly mongo: Pick<Mongo, 'connection' | 'deadline'>,
    private readonly afterMs: number,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** Resolves with how many it has ended. */
  async pass(): Promise<number> {
    const askedAtMs = this.monotonicMs();
    const paused = await this.paused();
    // this process may have stood still before it read the answer
    const heardAtMs = this.monotonicMs();
    const since = (one: PausedTransaction): number => this.seen.get(signOf(one)) ?? heardAtMs;
    const abandoned = paused.filter((one) => askedAtMs - since(one) >= this.afterMs);
    this.seen = new Map(paused.map((one) => [signOf(one), since(one)]));
    const ended = await Promise.all(abandoned.map((one) => this.end(one)));
    return ended.filter((isEnded) => isEnded).length;
  }

  /** That transaction alone. `killSessions` would interrupt whatever a process that lives does in the session by now. */
  private async end({ lsid: { id }, transaction: { parameters } }: PausedTransaction): Promise<boolean> {
    const aborted = this.mongo.connection.getClient().withSession((session) => {
      // dirty: the driver does not keep it
      Object.assign(session.serverSession, { id: { id }, txnNumber: Number(parameters.txnNumber), isDirty: true });
      return this.command({ abortTransaction: 1 }, session);
    });
    return aborted.then(
      () => true,
      (error: unknown) => {
        if (error instanceof mongoose.mongo.MongoServerError && OVER.has(error.code)) return false;
        throw error;
      },
    );
  }

  /** Those of this user of MongoDB, which needs no right for it. */
  private async paused(): Promise<readonly PausedTransaction[]> {
    const pipeline = [
      { $currentOp: { allUsers: false, idleSessions: true } },
      { $match: { type: 'idleSession', appName: APP_NAME, transaction: { $exists: true } } },
      { $project: { 'lsid.id': 1, 'transaction.parameters.txnNumber': 1, 'transaction.timeActiveMicros': 1 } },
    ];
    const cursor = { batchSize: MOST };
    const reply = await this.command<Reply>({ aggregate: 1, pipeline, cursor, readConcern: { level: 'local' } });
    return reply.cursor.firstBatch;
  }

  private async command<T>(command: mongo.Document, session?: ClientSession): Promise<T> {
    const admin = this.mongo.connection.getClient().db('admin');
    return (await admin.command(command, { signal: this.mongo.deadline(), ...(session && { session }) })) as T;
  }
}

/** What is the same only while no statement is made. */
function signOf({ lsid: { id }, transaction: { parameters, timeActiveMicros } }: PausedTransaction): string {
  return `${id.toString('hex')} ${String(parameters.txnNumber)} ${String(timeActiveMicros)}`;
}
