import { limitOf } from '@weft/contracts';
import { flowOfQueue } from '@weft/engine';
import type { Mongo, QueueKey } from '@weft/store';
import { FLOWS, type FlowDocument } from './flow.schema.js';

/** How many plays of the flow of this queue may have a turn at once, also of a deleted flow; null: any number. */
export async function readFlowLimit(mongo: Mongo, { companyId, queue }: QueueKey): Promise<number | null> {
  const flow = await mongo
    .collection<FlowDocument>(FLOWS)
    .findOne<Pick<FlowDocument, 'settings'>>(
      { _id: flowOfQueue(queue) ?? '', company_id: companyId },
      { projection: { 'settings.concurrency': 1 } },
    );
  return limitOf(flow?.settings.concurrency ?? null);
}
