import { ROW_FIELDS, type Play, type RowFields } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope, TenantScope } from '../../scope.js';
import { findPage } from '../../driver/find-page.js';
import { PLAYS } from '../play.schema.js';
import { eachWait } from '../wait-fields.js';

/** What decides who may watch a play. */
export type WatchedPlay = Pick<Play, '_id' | 'company_id' | 'flowId' | 'triggeredBy'>;

/** One journal to read: the whole log, and at most `RESULTS_PER_READ` results from the one at index `layersFrom` on. */
export interface JournalRead {
  readonly playId: string;
  readonly companyId: string;
  readonly layersFrom: number;
}

export type StoredJournal = Pick<
  Play,
  '_id' | 'company_id' | 'flowId' | 'triggeredBy' | 'state' | 'seq' | 'log' | 'layers' | 'waits' | 'completedAt'
> &
  RowFields;
export type StoredEnd = Pick<Play, '_id' | 'company_id' | 'completedAt'>;
export type StoredSeq = Pick<Play, '_id' | 'company_id' | 'seq'>;

/** A journal for which the answer had no room: it is to be read again. An answer has at least one that is read. */
export interface UnreadJournal {
  readonly _id: string;
  readonly isUnread: true;
}

/** With outputs of at most 16 KB inline, about as much as a socket takes before it is full: more would be read again. */
export const RESULTS_PER_READ = 16;

/** What the progress of delays is computed from, and what says that the play pauses before an attempt. */
const WAITS = eachWait(['position', 'kind', 'since', 'until'], ['delay', 'retry']);

const ROW = Object.fromEntries(ROW_FIELDS.map((field) => [field, 1])) as Readonly<
  Record<(typeof ROW_FIELDS)[number], 1>
>;

/** Reads what watchers are sent: many plays, also of several companies, in one round trip. */
export class PlayJournalRepository {
  private readonly plays: mongo.Collection<StoredJournal & WatchedPlay>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection(PLAYS);
  }

  /** Null when the company has no such play. */
  async findWatched(scope: TenantScope, playId: string): Promise<WatchedPlay | null> {
    return this.plays.findOne<WatchedPlay>(
      { _id: playId, company_id: scope.companyId },
      { projection: { company_id: 1, flowId: 1, triggeredBy: 1 } },
    );
  }

  /** Plays that are gone, or not of the company that was named, are not in the answer. */
  async readJournals(_scope: SystemScope, reads: readonly JournalRead[]): Promise<(StoredJournal | UnreadJournal)[]> {
    if (reads.length === 0) return [];
    const { docs, hasMore } = await findPage(this.plays, ofTheirCompanies(reads), {
      projection: {
        ...ROW,
        company_id: 1,
        flowId: 1,
        state: 1,
        seq: 1,
        log: 1,
        waits: WAITS,
        completedAt: 1,
        layers: { $slice: resultsOf(reads) },
      },
    });
    const read = new Set(docs.map(({ _id }) => _id));
    const unread = hasMore ? reads.filter(({ playId }) => !read.has(playId)) : [];
    return [...asNamed(reads, docs), ...unread.map(({ playId }) => ({ _id: playId, isUnread: true }) as const)];
  }

  /** When these plays ended: what MongoDB alone knows of a play whose journal is known. */
  async readEnds(_scope: SystemScope, plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<StoredEnd[]> {
    if (plays.length === 0) return [];
    const found = await this.plays
      .find<StoredEnd>(ofTheirCompanies(plays), { projection: { company_id: 1, completedAt: 1 } })
      .toArray();
    return asNamed(plays, found);
  }

  /** How far these plays are. Plays that are gone are not in the answer. */
  async readSeqs(_scope: SystemScope, plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<StoredSeq[]> {
    if (plays.length === 0) return [];
    const found = await this.plays
      .find<StoredSeq>(ofTheirCompanies(plays), { projection: { company_id: 1, seq: 1 } })
      .toArray();
    return asNamed(plays, found);
  }
}

/** Most plays are read from their first result on, which MongoDB need not compute for each. */
function resultsOf(reads: readonly JournalRead[]) {
  if (reads.every((read) => read.layersFrom === 0)) return RESULTS_PER_READ;
  const starts = reads.map((read) => read.layersFrom);
  const ids = reads.map((read) => read.playId);
  const start = { $arrayElemAt: [{ $literal: starts }, { $indexOfArray: [{ $literal: ids }, '$_id'] }] };
  return ['$layers', start, RESULTS_PER_READ];
}

type Named = Omit<JournalRead, 'layersFrom'>;

function ofTheirCompanies(plays: readonly Named[]): mongo.Filter<StoredJournal & WatchedPlay> {
  return {
    _id: { $in: plays.map((play) => play.playId) },
    company_id: { $in: [...new Set(plays.map((play) => play.companyId))] },
  };
}

/** A play counts only for the company that it was asked for. */
function asNamed<T extends Pick<Play, '_id' | 'company_id'>>(plays: readonly Named[], found: readonly T[]): T[] {
  const companyOf = new Map(plays.map((play) => [play.playId, play.companyId]));
  return found.filter((play) => companyOf.get(play._id) === play.company_id);
}
