import type { ClientSession, mongo } from 'mongoose';
import type { Mongo } from '@weft/store';
import { isBackedUp } from './backed-up-collections.js';
import { EXACT_TYPES } from './exact-bson.js';

/** That a document was written or deleted: which, not how. */
export interface Change {
  readonly collection: string;
  readonly id: unknown;
}

interface ChangeEvent {
  readonly operationType: string;
  readonly ns?: { readonly coll: string };
  readonly documentKey?: { readonly _id: unknown };
  readonly clusterTime: mongo.Timestamp;
}

/** How long MongoDB waits for a change before it answers without one. */
const WAIT_MS = 50;
/** Of which documents of a collection changed, MongoDB is asked at once. */
const CHANGES_PER_READ = 1_000;
const DOCUMENT_CHANGES: ReadonlySet<string> = new Set(['insert', 'update', 'replace', 'delete']);
/** They take documents away without saying which. */
const BREAKS: ReadonlySet<string> = new Set(['drop', 'rename', 'dropDatabase', 'invalidate']);

/** All changes of a database since a point in time, in their order, as the majority of MongoDB's members has stored them. */
export class ChangeTail {
  private constructor(
    private readonly stream: mongo.ChangeStream<mongo.Document, mongo.ChangeStreamDocument>,
    private readonly session: ClientSession,
  ) {}

  /** @param session see `until` */
  static open(mongo: Mongo, session: ClientSession, since: mongo.Timestamp): ChangeTail {
    const pipeline = [{ $project: { operationType: 1, ns: 1, documentKey: 1, clusterTime: 1 } }];
    const options = { startAtOperationTime: since, maxAwaitTimeMS: WAIT_MS, batchSize: CHANGES_PER_READ };
    return new ChangeTail(mongo.db.watch(pipeline, { ...options, ...EXACT_TYPES }), session);
  }

  /**
   * The changes up to this point in time, in portions; ends sooner if no more have happened yet. What is read afterwards in the
   * session is at least as new as the changes.
   */
  async *until(time: mongo.Timestamp): AsyncGenerator<readonly Change[]> {
    for (let isMore = true; isMore;) {
      const changes: Change[] = [];
      for (isMore = false; changes.length < CHANGES_PER_READ;) {
        const event = await this.next();
        if (!event) break;
        this.session.advanceOperationTime(event.clusterTime);
        changes.push(...changeOf(event));
        isMore = event.clusterTime.lessThan(time);
        if (!isMore) break;
      }
      if (changes.length > 0) yield changes;
    }
  }

  /**
   * The changes before that of one document, which was just written, are added to `changes`.
   *
   * @returns the time of that document's change
   * @throws Error when there are more than `limit`
   */
  async upTo(mark: string, changes: Change[], limit: number): Promise<mongo.Timestamp> {
    while (changes.length <= limit) {
      const event = await this.next();
      if (event && String(event.documentKey?._id) === mark) return event.clusterTime;
      if (event) changes.push(...changeOf(event));
    }
    throw new Error(
      'the database changes faster than it can be copied: begin the backup again when there is less load',
    );
  }

  async close(): Promise<void> {
    await this.stream.close();
  }

  private async next(): Promise<ChangeEvent | null> {
    return (await this.stream.tryNext()) as ChangeEvent | null;
  }
}

function changeOf({ operationType, ns, documentKey }: ChangeEvent): Change[] {
  if (BREAKS.has(operationType)) {
    throw new Error(`the collection ${ns?.coll ?? ''} was removed or renamed meanwhile: begin the backup again`);
  }
  if (!DOCUMENT_CHANGES.has(operationType) || !ns || !documentKey || !isBackedUp(ns.coll)) return [];
  return [{ collection: ns.coll, id: documentKey._id }];
}
