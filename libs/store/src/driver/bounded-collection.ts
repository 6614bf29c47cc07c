import type { mongo } from 'mongoose';

/** Where the options stand among the arguments of a method that sends commands. */
const OPTIONS_AT = {
  find: 1,
  findOne: 1,
  aggregate: 1,
  countDocuments: 1,
  distinct: 2,
  insertOne: 1,
  insertMany: 1,
  updateOne: 2,
  updateMany: 2,
  replaceOne: 2,
  deleteOne: 1,
  deleteMany: 1,
  findOneAndUpdate: 2,
  findOneAndReplace: 2,
  findOneAndDelete: 1,
  bulkWrite: 1,
} as const;

type Method = (...args: unknown[]) => unknown;

/**
 * The same collection, each of whose operations rejects with a `TimeoutError` when it has not ended within that time, from the
 * choice of a server on to the last of its answers. The driver (7.8) has no such limit: it waits for the answer on each
 * connection that it tries, and for ever until a large command is written to a connection that has ended meanwhile.
 */
export function boundedCollection<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  withinMs: number,
): mongo.Collection<T> {
  const methods = collection as unknown as Record<string, Method>;
  for (const [name, at] of Object.entries(OPTIONS_AT)) {
    const method = methods[name]?.bind(collection);
    if (!method) throw new TypeError(`the driver's collections have no ${name}`);
    methods[name] = (...args) => {
      const options = args[at] as { readonly signal?: AbortSignal } | undefined;
      while (args.length < at) args.push(undefined);
      args[at] = { ...options, signal: options?.signal ?? AbortSignal.timeout(withinMs) };
      return method(...args);
    };
  }
  return collection;
}
