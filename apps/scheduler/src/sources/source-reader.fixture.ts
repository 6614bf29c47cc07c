import type { Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { SourceTriggersRepository, TriggerDeliveriesRepository, TRIGGERS, type TriggerDocument } from '@weft/records';
import { DeliveryLog } from '@weft/runs';
import { SystemScope, TenantScope, type Mongo } from '@weft/store';
import { sandbox } from '@weft/testing';
import { pino } from 'pino';
import { scheduleFixture, type FirerOptions } from '../../../../test/fixtures/schedule-fixture.js';
import { MessagePlays } from './message-plays.js';
import type { SourceKind } from './source.js';
import { SourceReader } from './source-reader.js';

const ALL = new SystemScope('spec');

/** Triggers that read, on one live database. */
export async function sourceFixture() {
  const { mongo, metrics, acceptor, flow, plays, state } = await scheduleFixture();
  const newId = createIdSource(Date.now, 11);
  const triggers = mongo.collection<TriggerDocument>(TRIGGERS);
  const faults: unknown[] = [];

  /** A trigger of a flow in a company of its own. */
  async function trigger(fields: Partial<TriggerDocument> = {}, of = {}): Promise<TriggerDocument> {
    const { _id: flow_id, company_id, createdBy: created_by } = await flow(of);
    const document: TriggerDocument = {
      ...{ _id: newId(), company_id, flow_id, created_by, created_at: state.now, updated_at: state.now, rev: 1 },
      ...{ token_hash: newId(), secret: null, name: 'queue', verifier: { type: 'none' }, type: 'kafka' },
      ...{ source: { start: 'earliest', onPoison: 'skip' }, dedupe: null, when: null, wait: 0, enabled: true },
      args: { n: '{{ $message.value.n }}' },
      ...fields,
    };
    await triggers.insertOne(document);
    return document;
  }

  /** What one scheduler has. @param of what it sees of MongoDB */
  function reader(
    { _id: triggerId }: Pick<TriggerDocument, '_id'>,
    kind: SourceKind,
    { of = mongo, ...options }: FirerOptions & { readonly of?: Mongo } = {},
  ): SourceReader {
    const { acceptance, flows } = acceptor(options);
    const log = new DeliveryLog(new TriggerDeliveriesRepository(of), of, metrics, pino({ level: 'silent' }));
    const computing = { sandbox, now: () => state.now.getTime() };
    return new SourceReader({ triggerId, holder: newId() }, ALL, {
      triggers: new SourceTriggersRepository(of),
      authorizer: {
        eligibilityOf: async ({ companyId, flowId }) => {
          const found = await flows.get(new TenantScope(companyId), flowId);
          if (!found?.enabled) return { blockedReason: 'The flow is disabled.' };
          return { flow: found, blockedReason: null };
        },
      },
      plays: new MessagePlays({ ...{ acceptance, log, computing }, onOutcome: () => undefined }),
      kindOf: () => kind,
      serverNow: () => Date.now(),
      onFault: (error) => faults.push(error),
    });
  }

  return {
    ...{ mongo, trigger, reader, faults, triggers },
    stored: async (id: string) => (await triggers.findOne({ _id: id })) as TriggerDocument,
    playsOf: ({ flow_id }: TriggerDocument): Promise<Play[]> =>
      plays.find({ flowId: flow_id }).sort({ _id: 1 }).toArray(),
    fail: (ids: readonly string[]) =>
      plays.updateMany({ _id: { $in: [...ids] } }, { $set: { state: 'FAIL', completedAt: new Date(0) } }),
  };
}
