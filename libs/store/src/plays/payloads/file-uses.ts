import mongoose, { type ClientSession, type mongo } from 'mongoose';
import { isDuplicateKey } from '../../driver/duplicate-key.js';
import { MAJORITY, type Mongo } from '../../driver/mongo.js';
import type { TenantScope } from '../../scope.js';
import { FILE_USES, type FileUse, type GonePlay } from './file-use.schema.js';
import type { PayloadFiles, StoredFile } from './payload-files.js';
import { playsThere } from '../reads/plays-there.js';

/** In `playIds` of a file: there are uses of it. */
export const USED = 'used';

const BATCH = 500;
/** Plays that are gone, whose uses are removed together. */
const PLAYS_AT_ONCE = 100;

type Filter = mongo.Filter<mongo.Document>;

/**
 * Which plays refer to which files, a document for each: a file may be in the args of any number of plays. The file itself says
 * only that there are some. Each new use writes the file too, so that what its last use leaves cannot go at the same time.
 */
export class FileUses {
  constructor(
    private readonly mongo: Mongo,
    private readonly files: PayloadFiles,
  ) {}

  /**
   * Notes that each of the plays refers to all of the files. When it is refused, what was noted is found by its age.
   *
   * @param usable which files may be referred to now
   * @returns false when one of them is not usable (any more)
   */
  async add(
    scope: TenantScope,
    files: readonly mongo.ObjectId[],
    playIds: readonly string[],
    usable: () => Filter,
  ): Promise<boolean> {
    if (files.length === 0 || playIds.length === 0) return true;
    if ((await this.those(scope, files, usable())).length < files.length) return false;
    // before the file says so: whoever sees that it is used finds the uses
    await this.insert(scope, files, playIds);
    const { matchedCount } = await this.files.files.updateMany(
      { ...usable(), _id: { $in: [...files] }, 'metadata.company_id': scope.companyId },
      { $addToSet: { 'metadata.playIds': USED }, $currentDate: { 'metadata.usedAt': true } },
      { writeConcern: MAJORITY },
    );
    return matchedCount === files.length;
  }

  /** Those of these files of the company that match. */
  async those(
    { companyId }: TenantScope,
    files: readonly mongo.ObjectId[],
    which: Filter,
  ): Promise<readonly mongo.ObjectId[]> {
    const found = await this.files.files
      .find({ ...which, _id: { $in: [...files] }, 'metadata.company_id': companyId } as mongo.Filter<StoredFile>, {
        projection: { _id: 1 },
      })
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /** The play refers to all files that the other one refers to. */
  async copy(scope: TenantScope, from: string, playId: string): Promise<void> {
    const uses = await this.uses.find({ company_id: scope.companyId, playId: from, ...A_USE }).toArray();
    const isKept = () => ({ 'metadata.playIds.0': { $exists: true } });
    const files = await this.those(
      scope,
      uses.map(({ _id }) => fileOf(_id)),
      isKept(),
    );
    await this.add(scope, files, [playId], isKept);
  }

  /** These plays go with the transaction, and refer to no file any more: `sweep` removes their uses. */
  async letGo({ companyId }: TenantScope, playIds: readonly string[], session: ClientSession): Promise<void> {
    const which = { company_id: companyId, playId: { $in: [...playIds] } };
    await this.mark(companyId, await this.uses.distinct('playId', which, { session }), session);
  }

  /**
   * Removes the uses of plays that are gone, or that never came, but none that was noted after that time: its play may be about
   * to be inserted. In steps each of which can be repeated.
   */
  async sweep(scope: TenantScope, notedBefore: Date): Promise<void> {
    const company = { company_id: scope.companyId };
    const isOld = { newAt: { $lt: notedBefore } };
    for (;;) {
      const uses = await this.uses
        .find({ ...company, ...isOld })
        .limit(BATCH)
        .toArray();
      const there = await playsThere(
        this.mongo,
        scope,
        uses.map(({ playId }) => playId),
      );
      const missing = uses.filter(({ playId }) => !there.has(playId));
      await this.mark(scope.companyId, [...new Set(missing.map(({ playId }) => playId))]);
      const known = uses.flatMap(({ _id, playId }) => (there.has(playId) ? _id : []));
      await this.uses.updateMany({ ...company, ...isOld, _id: { $in: known } }, { $unset: { newAt: true } });
      await this.removeOfGone(scope, notedBefore);
      if (uses.length < BATCH) return;
    }
  }

  /** The plays that refer to a file, newest first, some at a time. */
  async *playsOf({ companyId }: TenantScope, file: mongo.ObjectId): AsyncGenerator<readonly string[]> {
    const [first, last] = rangeOf(file);
    for (let before = last; ;) {
      const uses = await this.uses
        .find({ _id: { $gt: first, $lt: before }, company_id: companyId }, { projection: { playId: 1 } })
        .sort({ _id: -1 })
        .limit(BATCH)
        .toArray();
      if (uses.length > 0) yield uses.map(({ playId }) => playId);
      before = uses.at(-1)?._id ?? '';
      if (uses.length < BATCH) return;
    }
  }

  private async insert(
    { companyId }: TenantScope,
    files: readonly mongo.ObjectId[],
    playIds: readonly string[],
  ): Promise<void> {
    const newAt = new Date(this.mongo.serverNow());
    const uses = files.flatMap((file) =>
      playIds.map((playId): FileUse => ({ _id: idOf(file, playId), company_id: companyId, playId, newAt })),
    );
    try {
      await this.uses.insertMany(uses, { ordered: false, writeConcern: MAJORITY });
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error;
      // asked for before: maybe by an attempt that died, and the play is inserted only now
      const ids = uses.map(({ _id }) => _id);
      await this.uses.updateMany(
        { _id: { $in: ids }, company_id: companyId, newAt: { $exists: true } },
        { $set: { newAt } },
        { writeConcern: MAJORITY },
      );
    }
  }

  private async mark(companyId: string, playIds: readonly string[], session?: ClientSession): Promise<void> {
    if (playIds.length === 0) return;
    await this.gone.bulkWrite(
      playIds.map((playId) => ({
        updateOne: {
          filter: { _id: `gone.${playId}` },
          update: { $setOnInsert: { company_id: companyId, playId, gone: true } },
          upsert: true,
        },
      })),
      { ordered: false, ...(session ? { session } : { writeConcern: MAJORITY }) },
    );
  }

  private async removeOfGone(scope: TenantScope, notedBefore: Date): Promise<void> {
    const company = { company_id: scope.companyId };
    for (let after = ''; ;) {
      const marks = await this.gone
        .find({ ...company, gone: true, _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(PLAYS_AT_ONCE)
        .toArray();
      if (marks.length === 0) return;
      after = marks.at(-1)?._id ?? after;
      // one that never came may have come since, under the same id
      const there = await playsThere(
        this.mongo,
        scope,
        marks.map(({ playId }) => playId),
      );
      const playIds = marks.flatMap(({ playId }) => (there.has(playId) ? [] : playId));
      const going = { ...company, ...A_USE, playId: { $in: playIds }, ...notNew(notedBefore) };
      await this.removeUses(scope, marks, going);
      const left = new Set(await this.uses.distinct('playId', { ...company, ...A_USE, playId: { $in: playIds } }));
      const done = marks.flatMap(({ _id, playId }) => (left.has(playId) ? [] : _id));
      await this.gone.deleteMany({ ...company, _id: { $in: done } });
    }
  }

  /** Of which files it removes uses is written down first, so that after a crash they are looked at all the same. */
  private async removeUses(scope: TenantScope, [mark, ...marks]: readonly GonePlay[], which: mongo.Filter<FileUse>) {
    if (!mark) return;
    for (const { files = [] } of [mark, ...marks]) await this.settle(scope, files);
    for (;;) {
      const uses = await this.uses.find(which).limit(BATCH).toArray();
      const files = [...new Set(uses.map(({ _id }) => fileOf(_id).toHexString()))];
      if (files.length === 0) return;
      await this.gone.updateOne({ _id: mark._id }, { $set: { files } }, { writeConcern: MAJORITY });
      await this.uses.deleteMany({ ...which, _id: { $in: uses.map(({ _id }) => _id) } }, { writeConcern: MAJORITY });
      await this.settle(scope, files);
    }
  }

  /** With the last use of a file goes what the file says of it. */
  private async settle(scope: TenantScope, files: readonly string[]): Promise<void> {
    for (const id of files) {
      const file = mongoose.mongo.ObjectId.createFromHexString(id);
      if (await this.isUsed(scope, file)) continue;
      await this.mongo
        .transaction(async (session) => {
          const update = { $pull: { 'metadata.playIds': USED } } as mongo.UpdateFilter<StoredFile>;
          await this.files.files.updateOne({ _id: file, 'metadata.company_id': scope.companyId }, update, { session });
          // looked at after the write: a use that is noted meanwhile writes the file as well, and waits
          if (await this.isUsed(scope, file, session)) throw new UsedAgain();
        })
        .catch((error: unknown) => {
          if (!(error instanceof UsedAgain)) throw error;
        });
    }
  }

  private async isUsed({ companyId }: TenantScope, file: mongo.ObjectId, session?: ClientSession): Promise<boolean> {
    const [first, last] = rangeOf(file);
    const which = { _id: { $gt: first, $lt: last }, company_id: companyId };
    return (await this.uses.findOne(which, { projection: { _id: 1 }, ...(session && { session }) })) !== null;
  }

  private get uses(): mongo.Collection<FileUse> {
    return this.mongo.collection<FileUse>(FILE_USES);
  }

  private get gone(): mongo.Collection<GonePlay> {
    return this.mongo.collection<GonePlay>(FILE_USES);
  }
}

class UsedAgain extends Error {}

/** And not the mark of a play that is gone. */
const A_USE = { gone: { $exists: false } } as mongo.Filter<FileUse>;

function notNew(notedBefore: Date): mongo.Filter<FileUse> {
  return { $or: [{ newAt: { $exists: false } }, { newAt: { $lt: notedBefore } }] };
}

function isOnlyDuplicates(error: unknown): boolean {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) return false;
  return [error.writeErrors].flat().every(isDuplicateKey);
}

function idOf(file: mongo.ObjectId, playId: string): string {
  return `${file.toHexString()}.${playId}`;
}

function fileOf(id: string): mongo.ObjectId {
  return mongoose.mongo.ObjectId.createFromHexString(id.slice(0, id.indexOf('.')));
}

/** Ids of uses begin with the id of their file and a dot; the slash is the next character after the dot. */
function rangeOf(file: mongo.ObjectId): readonly [first: string, last: string] {
  const hex = file.toHexString();
  return [`${hex}.`, `${hex}/`];
}
