import mongoose from 'mongoose';

/**
 * Answers of a server that cannot serve now: stepping down, shutting down, write concern not met in time, or just started and
 * without a majority that it knows of. All that the driver repeats are among them.
 */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([
  6, 7, 50, 64, 89, 91, 100, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

const UNAVAILABLE_NAMES: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoStalePrimaryError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoClientClosedError',
  'MongoExpiredSessionError',
  'MongoOperationTimeoutError',
  'TimeoutError', // of an AbortSignal: the limit that the caller set
]);

/** Of a command that was written to a connection which had just ended: the driver (7.8) passes on the error of the socket. */
const CONNECTION_CODES: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** True when the operation failed because MongoDB could not be reached or could not answer: the same call may succeed later. */
export function isStoreUnavailable(error: unknown): boolean {
  const isOfSocket = error instanceof Error && CONNECTION_CODES.has((error as NodeJS.ErrnoException).code ?? '');
  return isOfSocket || isUnavailable(error);
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // by class, too: later versions of the driver may have further kinds of it
  if (error instanceof mongoose.mongo.MongoNetworkError || UNAVAILABLE_NAMES.has(error.name)) return true;
  // of many writes at once, whose error has that of the driver in it
  if (error instanceof mongoose.mongo.MongoBulkWriteError && isUnavailable(error.errorResponse)) return true;
  if (error instanceof mongoose.mongo.MongoServerError) return UNAVAILABLE_CODES.has(Number(error.code));
  return error.cause !== undefined && isUnavailable(error.cause);
}
