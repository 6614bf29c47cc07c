import type { mongo } from 'mongoose';
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
    const paused = await this.paused();
    const nowMs = this.monotonicMs();
    const since = (one: PausedTransaction): number => this.seen.get(signOf(one)) ?? nowMs;
    const abandoned = paused.filter((one) => nowMs - since(one) >= this.afterMs);
    this.seen = new Map(paused.map((one) => [signOf(one), since(one)]));
    if (abandoned.length > 0) await this.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) });
    return abandoned.length;
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

  private async command<T>(command: mongo.Document): Promise<T> {
    return (await this.mongo.connection
      .getClient()
      .db('admin')
      .command(command, { signal: this.mongo.deadline() })) as T;
  }
}

/** What is the same only while no statement is made. */
function signOf({ lsid: { id }, transaction: { parameters, timeActiveMicros } }: PausedTransaction): string {
  return `${id.toString('hex')} ${String(parameters.txnNumber)} ${String(timeActiveMicros)}`;
}
