/** What plays and their writes weigh in MongoDB, and how much it takes. */
import { UnstorableError, type Play, type PlayWrite } from '@weft/engine';
import { bsonBytes } from '@weft/kernel';

const MIB = 1024 * 1024;
/** MongoDB takes no larger document. */
const MAX_DOCUMENT_BYTES = 16 * MIB;
/** A command is one document here, and may have 16 KB more than a stored one; this leaves room for what is not weighed. */
export const MAX_BATCH_BYTES = 12 * MIB;
/** The filter and the operators of an update, and the names of the fields that it sets. */
const UPDATE_BYTES = 1_024;

export function weightOfPlay(play: Play): number {
  return bsonBytes(play);
}

export function weightOfWrite({ set, inbox, layers, log }: PlayWrite): number {
  return UPDATE_BYTES + bsonBytes(set) + (inbox ? bsonBytes(inbox) : 0) + bsonBytes(layers) + bsonBytes(log);
}

/** @throws UnstorableError */
export function assertStorable(bytes: number, playId: string): void {
  if (bytes > MAX_DOCUMENT_BYTES) throw tooLarge(playId);
}

export function tooLarge(playId: string, cause?: unknown): UnstorableError {
  const detail = `The play ${playId} would have more than the ${MAX_DOCUMENT_BYTES} bytes that a play may have.`;
  return new UnstorableError('too_large', detail, cause);
}
