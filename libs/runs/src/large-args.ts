/** Args that are too large for the play document are stored in the payload store before the play is inserted. */
import { fileIdsIn, MOST_FILES } from '@weft/contracts';
import { INLINE_OUTPUT_BYTES, type PayloadRef, type Play } from '@weft/engine';
import { hasBigIntegers, WeftError } from '@weft/kernel';
import { TenantScope, type MongoPlayStore, type PayloadStore } from '@weft/store';
import type { AcceptedRun } from './run-input.js';

/** A UTF-16 unit that JSON escapes as \uXXXX takes six bytes. */
const MAX_BYTES_PER_UNIT = 6;

export interface ArgsStores {
  readonly store: Pick<MongoPlayStore, 'accept'>;
  readonly payloads: Pick<PayloadStore, 'putArgs' | 'adopt' | 'discard' | 'letGo'> & {
    readonly userFiles: Pick<PayloadStore['userFiles'], 'use'>;
  };
  /** Called when the payload could not be assigned to its play after the answer; retention repairs that. */
  readonly onNotAdopted: (error: unknown) => void;
}

/**
 * Inserts the play. For small args only their size is checked, and what they refer to.
 *
 * @param uploaded where the args are stored as an upload
 * @throws WeftError `unknown_id`, `invalid_args`: a file that the args refer to
 */
export function acceptWithArgs(play: Play, stores: ArgsStores, uploaded?: PayloadRef): Promise<AcceptedRun> {
  const files = fileIdsIn(play.args);
  const isSmall = play.argsRef !== undefined || areSmall(play.args);
  if (uploaded && !isSmall) {
    files.add(uploaded.$ref);
    return acceptWithFiles({ ...play, args: {}, argsRef: uploaded }, files, stores);
  }
  return files.size > 0 ? acceptWithFiles(play, files, stores) : acceptSized(play, isSmall, stores);
}

/** The play refers to the files before it is inserted: they are not deleted in between. */
async function acceptWithFiles(play: Play, files: ReadonlySet<string>, stores: ArgsStores): Promise<AcceptedRun> {
  const { payloads, onNotAdopted } = stores;
  const scope = new TenantScope(play.company_id);
  if (files.size > MOST_FILES) {
    throw new WeftError('invalid_args', `The args refer to more than ${MOST_FILES} files.`);
  }
  if (!(await payloads.userFiles.use(scope, [...files], play._id))) {
    throw new WeftError(
      'unknown_id',
      'The args refer to a file that the company does not have, or that is not kept any more: upload it again.',
    );
  }
  const isSmall = play.argsRef !== undefined || areSmall(play.args);
  const accepted = await acceptSized(play, isSmall, stores);
  // the references of a retry are the business of `acceptRetry`
  // before the next insert of this play, if it takes the key of the one that is there
  if (accepted.replayed && play.retryOf === undefined) await payloads.letGo(scope, [play._id]).catch(onNotAdopted);
  return accepted;
}

function acceptSized(play: Play, isSmall: boolean, stores: ArgsStores): Promise<AcceptedRun> {
  return isSmall ? stores.store.accept(play) : acceptLarge(play, stores);
}

async function acceptLarge(play: Play, { store, payloads, onNotAdopted }: ArgsStores): Promise<AcceptedRun> {
  const scope = new TenantScope(play.company_id);
  const content = Buffer.from(JSON.stringify(play.args));
  // a crash after this leaves a payload without a play, which the sweep deletes
  const argsRef = await payloads.putArgs(scope, { playId: play._id, flowId: play.flowId }, content);
  const accepted = await store.accept({ ...play, args: {}, argsRef });
  const isNew = !accepted.replayed && !accepted.wasThere;
  (isNew ? payloads.adopt(scope, argsRef, play._id) : payloads.discard(scope, argsRef)).catch(onNotAdopted);
  return accepted;
}

/** True up to 16 KB of JSON, unless MongoDB would change integers in it. */
export function areSmall(args: Play['args']): boolean {
  const units = boundedUnits(args, INLINE_OUTPUT_BYTES);
  if (units > INLINE_OUTPUT_BYTES || hasBigIntegers(args)) return false;
  if (units * MAX_BYTES_PER_UNIT <= INLINE_OUTPUT_BYTES) return true;
  return Buffer.byteLength(JSON.stringify(args)) <= INLINE_OUTPUT_BYTES;
}

/** A lower bound of the value's length as JSON, in UTF-16 units; counting stops when it exceeds `limit`. */
export function boundedUnits(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Array.isArray(value) ? unitsOfList(value, limit) : unitsOfObject(value, limit);
}

function unitsOfList(list: readonly unknown[], limit: number): number {
  let units = 2;
  for (const item of list) {
    units += boundedUnits(item, limit - units);
    if (units > limit) break;
  }
  return units;
}

function unitsOfObject(value: object, limit: number): number {
  let units = 2;
  for (const name in value) {
    units += name.length + 3 + boundedUnits((value as Readonly<Record<string, unknown>>)[name], limit - units);
    if (units > limit) break;
  }
  return units;
}
