import mongoose from 'mongoose';

const MAX_TIME_EXPIRED = 50;

/** MongoDB stopped an operation that had not ended within its `maxTimeMS`. */
export function isTimeOver(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === MAX_TIME_EXPIRED;
}
