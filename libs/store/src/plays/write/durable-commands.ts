import { SingleFlight } from '@weft/concurrency';
import mongoose, { type mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import { BY_ID, PLAYS } from '../play.schema.js';

interface CommandReply {
  readonly writeConcernError?: { readonly code: number; readonly errmsg: string };
}

/** Stored, but perhaps not durably. */
export class NotDurableError extends mongoose.mongo.MongoServerError {}

/** As MongoDB says that a write concern is not met in time. */
export function notDurableYet(message: string): NotDurableError {
  return new NotDurableError({ message, code: 64, errmsg: message });
}

/**
 * A command that is sent on a connection which has just ended, before the driver (7.8) has noticed, is never answered, and
 * no limit of the driver ends it: every batch after it would wait for ever.
 */
const ANSWER_WITHIN_MS = 10_000;
/** The id of no play. */
const NO_PLAY = '';

/**
 * The run path speaks to MongoDB in plain commands: the protocol clears lost answers up by itself, so it needs neither the
 * driver's retries (a row in the server's session table for each write) nor its bulk machinery.
 */
export class DurableCommands {
  /** The election whose primary has answered a write with a majority. */
  private heard: string | undefined;
  private readonly hearing = new SingleFlight<string | undefined, void>();

  /** @param answerWithinMs how long one command may take */
  constructor(
    private readonly mongo: Pick<Mongo, 'db' | 'election'>,
    private readonly answerWithinMs = ANSWER_WITHIN_MS,
  ) {}

  /** Resolves when a majority has what the command wrote. */
  async send<Reply>(command: mongo.Document): Promise<Reply> {
    const reply = (await this.mongo.db.command(
      { ...command, writeConcern: { w: 'majority', j: true } },
      { ignoreUndefined: true, signal: this.deadline() },
    )) as Reply & CommandReply;
    const fault = reply.writeConcernError;
    if (fault) throw new NotDurableError({ message: fault.errmsg, code: fault.code, errmsg: fault.errmsg });
    return reply;
  }

  /**
   * A read that shows at least what was acknowledged to this process before. A new primary shows less than its predecessor did, until
   * a majority has what it wrote itself. So reads wait for one write to it, and one that met another primary than it began with is
   * repeated.
   *
   * @throws the error of an unreachable store while the new primary has no majority
   */
  async read<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      const { election } = this.mongo;
      if (election !== this.heard) await this.hearing.run(election, () => this.hear(election));
      const answer = await ask();
      if (election === this.mongo.election) return answer;
    }
  }

  /**
   * Resolves when a majority has all that the primary has, also what was not acknowledged. MongoDB lets also a write that changes
   * nothing wait for what was written before.
   */
  async catchUp(): Promise<void> {
    await this.send({ update: PLAYS, updates: [{ q: { _id: NO_PLAY }, u: { $unset: { none: 1 } }, hint: BY_ID }] });
  }

  /** Of a read that is sent now. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(this.answerWithinMs);
  }

  private async hear(election: string | undefined): Promise<void> {
    await this.catchUp();
    this.heard = election;
  }
}
