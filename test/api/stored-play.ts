import {
  chainOf,
  eventTopic,
  type LayerDefinition,
  type LayerResult,
  type LayerWait,
  type ParentLayer,
  type Play,
} from '@weft/engine';
import { aLayer, aPlay } from '@weft/testing';
import { PLAYS, type Mongo } from '@weft/store';
import { FLOWS, FLOW_VERSIONS, type FlowDocument } from '@weft/records';
import { newId, textOf, type Person } from './live-api.js';
import mongoose from 'mongoose';

/** Inserts plays as workers would have stored them, so that an API without workers has something to show and to change. */
export function storedPlays(mongo: Mongo, by: Person) {
  return async (flowId: string, fields: Partial<Play> = {}): Promise<Play> => {
    const accepted = aPlay({
      playId: newId(),
      companyId: by.scope.companyId,
      flowId,
      args: { $n: 1 },
      triggeredBy: by.userId,
    });
    // as `withOrder` inserts it
    const order = fields.queues && { order: new mongoose.mongo.Timestamp({ t: 0, i: 0 }) };
    const play = { ...accepted, ...order, ...fields };
    await mongo.collection<Play>(PLAYS).insertOne(play, { ignoreUndefined: true });
    return play;
  };
}

/** What makes a play the child of a layer, or of an item of its loop, which waits for it. */
export function childOf(
  parent: Play,
  place: Pick<ParentLayer, 'layer' | 'item'>,
  awaited = true,
): Required<Pick<Play, 'parentPlayId' | 'parent'>> {
  const { first, nth } = chainOf(parent);
  const of = { flowId: parent.flowId, first, nth, ...place, depth: 1 };
  return { parentPlayId: parent._id, parent: { ...of, ...(awaited && { awaited: true as const }) } };
}

/** What makes a play the retry of this one. */
export function retryOfPlay(play: Play): Required<Pick<Play, 'retryOf' | 'chain' | 'trigger'>> {
  const chain = chainOf(play);
  return { retryOf: play._id, chain: { ...chain, nth: chain.nth + 1 }, trigger: 'retry' };
}

/** A flow of that user whose first version has these layers in order: ref → module. */
export async function storedFlow(
  mongo: Mongo,
  by: Person,
  layers: Readonly<Record<string, string>> = {},
  fields: object = {},
): Promise<string> {
  const { body } = await by.send('POST', '/api/v1/flows', { body: { name: 'flow', ...fields } });
  const flowId = textOf(body.id);
  const definitions = Object.entries(layers).map(([ref, appId], index) => layerAt(index, ref, appId));
  const put = { $set: { layers: definitions } };
  await mongo.collection<FlowDocument>(FLOWS).updateOne({ _id: flowId }, put);
  await mongo.collection(FLOW_VERSIONS).updateOne({ flowId, version: 1 }, put);
  return flowId;
}

function layerAt(index: number, ref: string, appId: string): LayerDefinition {
  return aLayer(ref, { id: newId(), appId, index });
}

export function resultAt(position: number, ref: string, fields: Partial<LayerResult> = {}): LayerResult {
  const at = new Date();
  return {
    position,
    ref,
    name: ref,
    state: 'DONE',
    startedAt: at,
    completedAt: at,
    out: { text: ref },
    outBytes: 14,
    attempts: 1,
    by: 'spec',
    ...fields,
  };
}

/** The fields of a play that is parked at this one wait. */
export function parkedAt(wait: Omit<LayerWait, 'since' | 'until'> & Partial<LayerWait>): Partial<Play> {
  const whole: LayerWait = { since: new Date(), until: null, ...wait };
  const isTimed = whole.kind === 'delay' || whole.kind === 'retry';
  return {
    state: isTimed ? 'DEFERRED' : 'WAIT',
    epoch: 2,
    heartbeatAt: undefined,
    waits: { [whole.position]: whole },
    ...(whole.event && { waitsFor: [eventTopic(whole.event.name, whole.event.key)] }),
    ...(whole.until && { dueAt: whole.until }),
  };
}
