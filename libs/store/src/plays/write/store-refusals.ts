/** How MongoDB, or its driver, refuses to store one play. */
import { UnstorableError } from '@weft/engine';
import mongoose from 'mongoose';
import { isDocumentTooLarge } from '../../driver/document-too-large.js';
import { tooLarge } from '../play-sizes.js';

/** Of one insert or update of a batch. */
export interface WriteFault {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

/** Nested too deep · not BSON · a name that cannot be stored. */
const NO_FORM: ReadonlySet<number> = new Set([2, 9, 15, 22, 52, 55, 56, 57]);

export function serverError({ code, errmsg }: WriteFault): Error {
  return new mongoose.mongo.MongoServerError({ message: errmsg, code, errmsg });
}

/** For what failed alone, and would again; null: what the error means for this play is not known. */
export function refusalOf(playId: string, error: unknown): UnstorableError | null {
  if (error instanceof UnstorableError) return error;
  if (isDocumentTooLarge(error)) return tooLarge(playId, error);
  if (error instanceof mongoose.mongo.MongoServerError)
    return NO_FORM.has(Number(error.code)) ? notStorable(playId, error) : null;
  // the driver cannot write it down: nothing was sent
  const isUnwritable = mongoose.mongo.BSON.BSONError.isBSONError(error) || error instanceof RangeError;
  return isUnwritable ? notStorable(playId, error) : null;
}

function notStorable(playId: string, cause: unknown): UnstorableError {
  return new UnstorableError('not_storable', `Something in the play ${playId} cannot be stored.`, cause);
}
