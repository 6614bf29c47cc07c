import type { mongo } from 'mongoose';
import type { Mongo } from './mongo.js';

/** Asks whether a collection has a document like this. An index answers it by its first key, also with "no". */
export interface Look {
  readonly collection: string;
  readonly filter: object;
}

/**
 * Asks for several things in one command, which costs little more than one of them.
 *
 * @param withinMs it rejects when the answer takes longer
 * @returns of each look, in their order, whether it found something
 */
export async function lookFor(
  mongo: Mongo,
  looks: readonly [Look, ...Look[]],
  withinMs: number,
): Promise<readonly boolean[]> {
  const [first, ...others] = looks;
  const stages = ({ filter }: Look, at: number) => [
    { $match: filter },
    { $limit: 1 },
    { $project: { _id: 0, at: { $literal: at } } },
  ];
  const pipeline = [
    ...stages(first, 0),
    ...others.map((look, i) => ({ $unionWith: { coll: look.collection, pipeline: stages(look, i + 1) } })),
  ];
  const found = await mongo
    .collection<mongo.Document>(first.collection)
    .aggregate<{ readonly at: number }>(pipeline, { signal: AbortSignal.timeout(withinMs) })
    .toArray();
  const at = new Set(found.map((each) => each.at));
  return looks.map((_, i) => at.has(i));
}
