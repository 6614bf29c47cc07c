import { isFinal, type PlayJob } from '@weft/contracts';
import { isLaneQueue, slotsIn, turnOf, type OpenPlay, type Play, type PlayWrite } from '@weft/engine';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, type AuditEntryInput } from '../../audit/record-audit.js';
import { isDuplicateKey } from '../../driver/duplicate-key.js';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import type { SystemScope } from '../../scope.js';
import { OPEN_FIELDS } from '../scans/open-plays.repository.js';
import { playKeyOf } from '../play-keys.js';
import { CHAIN, PLAYS, QUEUES, TURNS } from '../play.schema.js';
import { jobAfter } from './open-play-writes.js';
import { MARKED, playFilter, playUpdate } from './play-update.js';
import { byTurn, inQueue, orderIn, type QueueKey } from '../reads/queues.js';
import type { Reached } from '../scans/queue-order.js';

/** The play that has the turn of a lane. */
export type LaneHolder = OpenPlay & Pick<Play, 'chain'>;

/**
 * Turns and queues as plays store them (ADR 98). A unique index gives each turn to one play at most; the play's end takes it away in the
 * same write, unless it stops its lane.
 */
export class TurnRepository {
  private readonly plays: mongo.Collection<Play>;

  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /** How many plays have a turn of the queue, counted up to `most`. No play is read. Index `turns`. */
  countTurns(key: QueueKey, most: number): Promise<number> {
    return this.plays.countDocuments(byTurn(key), { limit: most, hint: TURNS });
  }

  /** Which turns of the queue plays have. No play is read. Index `turns`. */
  async slots(key: QueueKey): Promise<number[]> {
    const keys = await this.plays.find<{ turns: string }>(byTurn(key), { hint: TURNS, returnKey: true }).toArray();
    return slotsIn(
      keys.map(({ turns }) => turns),
      key.queue,
    );
  }

  /** The first plays of the queue, of those that nobody holds. Index `queues`. */
  next(key: QueueKey, limit: number): Promise<OpenPlay[]> {
    const options = { projection: OPEN_FIELDS, sort: orderIn(key.queue), limit };
    return this.plays.find<OpenPlay>(inQueue(key), options).toArray();
  }

  /** Who has the turn of a lane; one that has ended has stopped it. Index `turns`. */
  laneHolder(key: QueueKey): Promise<LaneHolder | null> {
    const projection = { ...OPEN_FIELDS, 'chain.first': 1, 'chain.nth': 1 };
    return this.plays.findOne<LaneHolder>(byTurn(key), { projection });
  }

  /** The retry of a play, or of its retry, that waits in a queue, also one that the retry of its parent has made. Index `chain`. */
  waitingRetryOf(
    { companyId, queue }: QueueKey,
    { _id, chain }: Pick<Play, '_id' | 'chain'>,
  ): Promise<OpenPlay | null> {
    const place = { 'chain.first': chain?.first ?? _id, 'chain.nth': { $gt: chain?.nth ?? 0 } };
    return this.plays.findOne<OpenPlay>(
      { company_id: companyId, ...place, queues: queue, state: 'DEFERRED' } as mongo.Filter<Play>,
      { projection: OPEN_FIELDS, hint: CHAIN },
    );
  }

  /** Of these queues, those that may go on: not lanes whose turn an open play has. One round trip. Index `turns`. */
  async withoutOpenHolder(queues: readonly QueueKey[]): Promise<readonly QueueKey[]> {
    const lanes = queues.filter(({ queue }) => isLaneQueue(queue));
    if (lanes.length === 0) return queues;
    const turns = [...Map.groupBy(lanes, ({ companyId }) => companyId)].map(([company_id, of]) => ({
      company_id,
      turns: { $in: of.map(({ queue }) => turnOf(queue, 0)) },
    }));
    const holders = await this.plays
      .find<Pick<Play, 'company_id' | 'turns' | 'state'>>(
        { $or: turns },
        { projection: { _id: 0, company_id: 1, turns: 1, state: 1 }, batchSize: lanes.length + 1 },
      )
      .toArray();
    const nameOf = (companyId: string, turn: string): string => JSON.stringify([companyId, turn]);
    const held = new Set(
      holders.flatMap((play) =>
        isFinal(play.state) ? [] : (play.turns ?? []).map((turn) => nameOf(play.company_id, turn)),
      ),
    );
    return queues.filter(
      ({ companyId, queue }) => !held.has(nameOf(companyId, turnOf(queue, 0))) || !isLaneQueue(queue),
    );
  }

  /** Takes its turn away from a play at which a lane has stopped. False: it has none any more. */
  async free(ended: OpenPlay, session?: ClientSession): Promise<boolean> {
    const { playId, companyId, flowId } = playKeyOf(ended);
    const { matchedCount } = await this.plays.updateOne(
      { _id: playId, company_id: companyId, flowId, turns: { $exists: true }, state: ended.state },
      { $unset: { turns: 1 } },
      session ? { session } : { writeConcern: MAJORITY },
    );
    return matchedCount === 1;
  }

  /** The same with an audit entry: both or none. */
  freeAudited(ended: OpenPlay, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      if (!(await this.free(ended, session))) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * Passes the turn of a lane from a failed play to its retry: no other play has it in between.
   *
   * @returns null when one of them has changed
   */
  passOn(failed: OpenPlay, retry: OpenPlay, write: PlayWrite): Promise<PlayJob | null> {
    return this.mongo.transaction(async (session) => {
      if (!(await this.free(failed, session))) return null;
      const { matchedCount } = await this.plays.updateOne(
        playFilter(playKeyOf(retry), write),
        playUpdate(write, MARKED),
        {
          session,
        },
      );
      if (matchedCount === 0) {
        await session.abortTransaction();
        return null;
      }
      return jobAfter({ play: retry, write });
    });
  }

  /** The next queue, in order of company and name, in which plays wait. Index `queues`, whose first key after that is the answer. */
  async nextWithQueue(reached: Reached<QueueKey>): Promise<QueueKey | null> {
    const [companyId, queue] = [reached?.companyId ?? '', reached && 'queue' in reached ? reached.queue : null];
    const within = queue === null ? null : await this.firstQueue({ company_id: companyId }, queue);
    return within ?? this.firstQueue({ company_id: { $gt: companyId } }, '');
  }

  /** How many plays of a company wait for turns, counted up to `most`. Index `queues`. */
  countWaiting(companyId: string, most: number): Promise<number> {
    return this.plays.countDocuments({ company_id: companyId, queues: { $gt: '' } }, { limit: most, hint: QUEUES });
  }

  private async firstQueue(of: mongo.Filter<Play>, after: string): Promise<QueueKey | null> {
    const found = await this.plays.findOne<Pick<Play, 'company_id' | 'queues'>>(
      { ...of, queues: { $gt: after } } as mongo.Filter<Play>,
      { projection: { _id: 0, company_id: 1, queues: 1 }, hint: QUEUES },
    );
    const queue = (found?.queues ?? [])
      .filter((one) => isGreater(one, after))
      .sort((a, b) => (isGreater(a, b) ? 1 : -1))[0];
    return found && queue !== undefined ? { companyId: found.company_id, queue } : null;
  }
}

/** MongoDB compares bytes. */
function isGreater(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0;
}

/** The turn that another play has; null: the error says something else. */
export function turnTaken(error: unknown): string | null {
  if (!isDuplicateKey(error)) return null;
  const { keyValue } = error as { readonly keyValue?: { readonly turns?: unknown } };
  return typeof keyValue?.turns === 'string' ? keyValue.turns : null;
}
