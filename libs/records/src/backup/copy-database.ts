import { randomUUID } from 'node:crypto';
import type { ClientSession, mongo } from 'mongoose';
import { MAJORITY, type Mongo } from '@weft/store';
import { backedUpCollections } from './backed-up-collections.js';
import { BACKUPS, type BackupDocument } from './backup.schema.js';
import { FRAME, type BackupEnd } from './backup-format.js';
import type { BackupWriter } from './backup-writer.js';
import { ChangeTail, type Change } from './change-tail.js';
import { bytesOfId, idOf, keyOf } from './exact-bson.js';
import { patiently } from './patiently.js';

/** Documents of one query: the walk can go on after each, also at another primary. */
const DOCUMENTS_PER_READ = 1_000;
const LOOK_AT_CHANGES_EVERY_MS = 1_000;
/** Changes between the last look and the point in time of the backup: they are kept in memory. */
const MAX_LAST_CHANGES = 500_000;
const COUNT_WITHIN_MS = 25_000;

/** Where a query reads: in the order of causes, or at one point in time. */
interface At {
  readonly session: ClientSession;
  readonly readConcern?: { readonly level: 'snapshot' };
}

type End = Omit<BackupEnd, 'sha256'>;

/**
 * Copies all documents as they are at one point in time, however long it takes: MongoDB itself keeps the past for five minutes only.
 * It walks the collections while they change, and reads each document again that has changed since; the last of them at the point
 * in time. So a copy includes each change up to that time, and none after it (ADR 60).
 *
 * @param openWriter gets the names of the collections
 */
export async function copyDatabase(
  mongo: Mongo,
  openWriter: (collections: readonly string[]) => BackupWriter,
): Promise<End> {
  return mongo.connection.getClient().withSession({ causalConsistency: true }, async (session) => {
    const tail = ChangeTail.open(mongo, session, await timeOf(mongo, session));
    try {
      const collections = await backedUpCollections(mongo, session);
      const writer = openWriter(collections);
      try {
        const end = await new Copy(mongo, session, tail, collections, writer).run();
        await writer.end(end);
        await noteBackup(mongo, end.at);
        return end;
      } catch (error) {
        await writer.abandon();
        throw error;
      }
    } finally {
      await tail.close();
    }
  });
}

class Copy {
  /** Collections that are walked later: the walk reads what changes there until then. */
  private readonly ahead: Set<string>;
  /** Of the last look: they are to be read at the point in time. */
  private readonly last: Change[] = [];

  constructor(
    private readonly mongo: Mongo,
    private readonly session: ClientSession,
    private readonly tail: ChangeTail,
    private readonly collections: readonly string[],
    private readonly writer: BackupWriter,
  ) {
    this.ahead = new Set(collections);
  }

  async run(): Promise<End> {
    await this.catchUp(); // opens the stream: from now on MongoDB keeps its place
    for (const name of this.collections) {
      this.ahead.delete(name);
      await this.walk(name);
    }
    await this.catchUp();
    return patiently(() => this.finish());
  }

  private async walk(name: string): Promise<void> {
    let lookedAt = performance.now();
    let place: Place | null = { after: undefined };
    while (place) {
      const { after }: Place = place;
      place = await patiently<Place | null>(() => this.portion(name, after));
      if (performance.now() - lookedAt < LOOK_AT_CHANGES_EVERY_MS) continue;
      await this.catchUp();
      lookedAt = performance.now();
    }
  }

  /** @returns null after the last one */
  private async portion(name: string, after: unknown): Promise<Place | null> {
    const query = this.documents(name)
      .find({}, { session: this.session, raw: true, batchSize: DOCUMENTS_PER_READ })
      .hint({ _id: 1 })
      .limit(DOCUMENTS_PER_READ);
    // `min` compares ids of all types, and includes the last one that was read
    const cursor = after === undefined ? query : query.min({ _id: after });
    let read = 0;
    let newest: Uint8Array | null = null;
    for await (const document of documentsOf(cursor)) {
      read += 1;
      newest = document;
      const isKnown = read === 1 && after !== undefined && keyOf(idOf(document)) === keyOf(after);
      if (!isKnown) await this.writer.add(FRAME.copy, name, document);
    }
    return newest && read === DOCUMENTS_PER_READ ? { after: idOf(newest) } : null;
  }

  /** Reads again what has changed until now. */
  private async catchUp(): Promise<void> {
    const now = await patiently(() => timeOf(this.mongo, this.session));
    for await (const changes of this.tail.until(now)) {
      await patiently(() => this.readAgain(changes, { session: this.session }));
    }
  }

  /** Decides on the point in time by a write, and reads as of then what has changed since the last look. */
  private async finish(): Promise<End> {
    const mark = `mark ${randomUUID()}`;
    const marks = this.mongo.collection<BackupDocument>(BACKUPS);
    await marks.insertOne({ _id: mark, at: new Date(this.mongo.serverNow()) }, { writeConcern: MAJORITY });
    try {
      const time = await this.tail.upTo(mark, this.last, MAX_LAST_CHANGES);
      return await this.mongo.connection.getClient().withSession({ snapshot: true }, async (session) => {
        Object.assign(session, { snapshotTime: time }); // the driver has no option for it, and would take the time of the first read
        const at: At = { session, readConcern: { level: 'snapshot' } };
        for (let from = 0; from < this.last.length; from += DOCUMENTS_PER_READ) {
          await this.readAgain(this.last.slice(from, from + DOCUMENTS_PER_READ), at);
        }
        return { at: new Date(time.t * 1_000).toISOString(), counts: await this.counts(at) };
      });
    } finally {
      await marks.deleteMany({ _id: { $regex: '^mark ' } }); // also those that a killed backup left
    }
  }

  private async readAgain(changes: readonly Change[], at: At): Promise<void> {
    for (const [name, ids] of this.changedIds(changes)) {
      const filter = { _id: { $in: [...ids.values()] } } as mongo.Filter<mongo.Document>;
      const left = new Map(ids);
      for await (const document of documentsOf(this.documents(name).find(filter, { ...at, raw: true }))) {
        left.delete(keyOf(idOf(document)));
        await this.writer.add(FRAME.put, name, document);
      }
      for (const id of left.values()) await this.writer.add(FRAME.remove, name, bytesOfId(id));
    }
  }

  private changedIds(changes: readonly Change[]): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
    const byCollection = new Map<string, Map<string, unknown>>();
    for (const { collection, id } of changes) {
      if (this.ahead.has(collection)) continue;
      const ids = byCollection.get(collection) ?? new Map<string, unknown>();
      byCollection.set(collection, ids.set(keyOf(id), id));
    }
    return byCollection;
  }

  private async counts(at: At): Promise<Record<string, number | null>> {
    const counts: Record<string, number | null> = {};
    for (const name of this.collections) counts[name] = await countWithin(this.documents(name), COUNT_WITHIN_MS, at);
    return counts;
  }

  private documents(name: string): mongo.Collection<mongo.Document> {
    return this.mongo.walked(name);
  }
}

/** After which id a walk goes on; undefined: at its beginning. */
interface Place {
  readonly after: unknown;
}

/** Null when it would take longer. */
export async function countWithin(
  documents: mongo.Collection<mongo.Document>,
  withinMs: number,
  at?: At,
): Promise<number | null> {
  return documents.countDocuments({}, { ...at, maxTimeMS: withinMs }).catch(() => null);
}

/** With the option `raw`, documents come as their bytes. */
function documentsOf(cursor: mongo.FindCursor<mongo.Document>): AsyncIterable<Uint8Array> {
  return cursor as unknown as AsyncIterable<Uint8Array>;
}

/** What a majority has stored by now is older. */
async function timeOf(mongo: Mongo, session: ClientSession): Promise<mongo.Timestamp> {
  const { operationTime } = await mongo.db.command({ ping: 1 }, { session });
  session.advanceOperationTime(operationTime as mongo.Timestamp);
  return operationTime as mongo.Timestamp;
}

/** `doctor` asks for it. */
async function noteBackup(mongo: Mongo, at: string): Promise<void> {
  const backups = mongo.collection<BackupDocument>(BACKUPS);
  await backups.updateOne({ _id: 'newest' }, { $set: { at: new Date(at) } }, { upsert: true });
}
