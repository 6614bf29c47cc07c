import type { ChainableCommander } from 'ioredis';

/**
 * Redis' answers to a pipeline.
 *
 * @param count the number of expected answers; for a transaction it differs from the number of commands sent
 * @throws the first error, if there is one, or when Redis did not answer all of it: then nothing is known
 */
export async function answersOf(pipeline: ChainableCommander, count = pipeline.length): Promise<readonly unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  const failure = replies.find(([error]) => error)?.[0];
  if (failure || replies.length !== count) throw failure ?? new Error('Redis gave no answer');
  return replies.map(([, answer]) => answer);
}
