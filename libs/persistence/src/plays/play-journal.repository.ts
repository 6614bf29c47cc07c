import { ROW_FIELDS, type Play, type RowFields } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { readInPortions } from '../driver/read-in-portions.js';
import { PLAYS } from './play.schema.js';

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

/** With outputs of at most 16 KB inline, about as much as a socket takes before it is full: more would be read again. */
export const RESULTS_PER_READ = 16;

/** A large journal takes some ms to decode; nobody else's message waits for more than about two. */
const DECODED_AT_ONCE_BYTES = 256 * 1024;
const ENTRY_BYTES = 100;

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
  async readJournals(_scope: SystemScope, reads: readonly JournalRead[]): Promise<StoredJournal[]> {
    if (reads.length === 0) return [];
    const found = this.plays.find<StoredJournal>(ofTheirCompanies(reads), {
      projection: {
        ...ROW,
        company_id: 1,
        flowId: 1,
        state: 1,
        seq: 1,
        log: 1,
        waits: 1,
        completedAt: 1,
        layers: { $slice: resultsOf(reads) },
      },
    });
    return asNamed(reads, await readInPortions(found, bytesOf, DECODED_AT_ONCE_BYTES));
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

function bytesOf({ log, layers }: StoredJournal): number {
  return layers.reduce((sum, { outBytes, outRef }) => sum + (outRef ? 0 : outBytes), log.length * ENTRY_BYTES);
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
