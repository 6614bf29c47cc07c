import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  AUDIT_LOGS,
  FailedPlaysRepository,
  FLOWS,
  SystemScope,
  TenantScope,
  type AuditDocument,
  type FlowDocument,
} from '@weft/persistence';
import { SETTINGS } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { scheduleFixture, type FirerOptions } from '../../../../test/fixtures/schedule-fixture.js';
import { FailureWalk, type FailureWalkDeps } from './failure-walk.js';

const fixture = await scheduleFixture();
const { state, plays } = fixture;
const entries = fixture.mongo.collection<AuditDocument>(AUDIT_LOGS);
const setFlow = (id: string, fields: Partial<FlowDocument>) =>
  fixture.mongo.collection<FlowDocument>(FLOWS).updateOne({ _id: id }, { $set: fields });

class Repository extends FailedPlaysRepository {
  constructor(private readonly diesBeforeSettling: boolean) {
    super(fixture.mongo);
  }
  override settle(...args: Parameters<FailedPlaysRepository['settle']>): Promise<void> {
    return this.diesBeforeSettling ? Promise.reject(new Error('killed')) : super.settle(...args);
  }
}

/** The part of a scheduler that is under test. */
function scheduler(options: FirerOptions = {}) {
  const faults: unknown[] = [];
  const givenUp: string[] = [];
  const deps: FailureWalkDeps = {
    ...fixture.acceptor(options),
    plays: new Repository(options.diesBeforeSettling ?? false),
    base: 'https://weft.test',
    serverNow: () => state.now.getTime(),
    onGivenUp: ({ _id }, reason) => givenUp.push(`${_id} ${reason}`),
    onFault: (error) => faults.push(error),
  };
  return { walk: new FailureWalk(deps), deps, faults, givenUp };
}

/** A scheduler to which the company of this flow has no room for another play. */
function busyFor({ _id: flowId }: FlowDocument) {
  const { deps, ...seen } = scheduler();
  const accept: FailureWalkDeps['acceptance']['accept'] = (flow, ask) =>
    flow.id === flowId
      ? Promise.reject(new WeftError('backlog_full', 'Too many plays wait.'))
      : deps.acceptance.accept(flow, ask);
  const acceptance = { accept, nextPlayId: deps.acceptance.nextPlayId };
  return { ...seen, walk: new FailureWalk({ ...deps, acceptance }) };
}

const runner = scheduler();

/** A flow whose failures start another flow of its company. */
async function pair(handlerFields: Partial<FlowDocument> = {}) {
  const handler = await fixture.flow({ name: 'handler', ...handlerFields });
  const settings = { ...SETTINGS, onFailure: handler._id };
  const flow = await fixture.flow({ name: 'orders', company_id: handler.company_id, settings });
  return { flow, handler };
}

/** Plays of this flow, accepted as any run and failed since. */
async function fail(flow: FlowDocument, count = 1, fields: Partial<Play> = {}): Promise<Play[]> {
  const runnable = await runner.deps.flows.get(new TenantScope(flow.company_id), flow._id);
  if (!runnable) throw new Error('no flow');
  const { acceptance } = fixture.acceptor();
  const error = { code: 'bad_status', message: 'answered 500', ref: 'send' };
  const accepted: Play[] = [];
  for (let n = 0; n < count; n += 1) {
    const ask = { args: { n }, trigger: 'api', triggeredBy: flow.createdBy, labels: { env: 'test' } } as const;
    accepted.push((await acceptance.accept(runnable, ask)).play);
  }
  const end = { state: 'FAIL' as const, completedAt: state.now, error, ...fields };
  await plays.updateMany({ _id: { $in: accepted.map(({ _id }) => _id) } }, { $set: end, $unset: { heartbeatAt: 1 } });
  return accepted;
}

const stored = async (id: string): Promise<Play> => (await plays.findOne({ _id: id })) as Play;

describe('a failed play', () => {
  it('starts one play of the flow that handles it, whichever of two schedulers looks, and the two name each other', async () => {
    const { flow, handler } = await pair();
    const [failed] = (await fail(flow)) as [Play];
    await Promise.all([scheduler().walk.pass(), scheduler().walk.pass()]);
    await scheduler().walk.pass();
    const [started, ...others] = await fixture.playsOf(handler._id);
    expect(others).toEqual([]);
    expect(started).toMatchObject({
      ...{ state: 'NEW', trigger: 'flow', triggeredBy: flow.createdBy, handlesFailureOf: failed._id },
      idempotencyKey: `onFailure:${failed._id}`,
      labels: ['env:test'],
      args: {
        play: {
          id: failed._id,
          flowName: 'orders',
          args: { n: 0 },
          url: `https://weft.test/api/v1/plays/${failed._id}`,
        },
        error: { code: 'bad_status', message: 'answered 500', ref: 'send', attempts: null },
      },
    });
    const handled = await stored(failed._id);
    expect(handled.failureHandledBy).toBe(started?._id);
    expect(handled).not.toHaveProperty('failurePending');
  });

  it('starts one play when schedulers die between any two steps', async () => {
    const { flow, handler } = await pair();
    const [failed] = (await fail(flow)) as [Play];
    // the id is fixed, and nothing is stored under it
    await scheduler({ makes: 0 }).walk.pass();
    const { failureHandledBy } = await stored(failed._id);
    expect(failureHandledBy).toBeDefined();
    expect(await fixture.playsOf(handler._id)).toEqual([]);
    // it is stored, and still pending
    const killed = scheduler({ diesBeforeSettling: true });
    await killed.walk.pass();
    expect(killed.faults).toEqual([new Error('killed')]);
    expect((await stored(failed._id)).failurePending).toBe(handler._id);
    // it has ended meanwhile, so its key is free
    await plays.updateOne(
      { _id: failureHandledBy },
      { $set: { state: 'FAIL', completedAt: state.now }, $unset: { key: 1 } },
    );
    expect(await scheduler().walk.pass()).toBe(0);
    expect((await fixture.playsOf(handler._id)).map(({ _id }) => _id)).toEqual([failureHandledBy]);
    expect(await stored(failed._id)).not.toHaveProperty('failurePending');
  });

  it('starts none when a user cancelled it, or when it handled a failure itself', async () => {
    const { flow, handler } = await pair();
    await setFlow(handler._id, { settings: { ...SETTINGS, onFailure: flow._id } });
    await fail(flow, 1, { error: { code: 'cancelled', message: 'by a user', ref: null } });
    await scheduler().walk.pass();
    expect(await fixture.playsOf(handler._id)).toEqual([]);
    await fail(flow);
    await scheduler().walk.pass();
    const [handling] = await fixture.playsOf(handler._id);
    await plays.updateOne({ _id: handling?._id }, { $set: { state: 'FAIL', completedAt: state.now } });
    await scheduler().walk.pass();
    expect(await fixture.playsOf(handler._id)).toHaveLength(1);
    expect(await fixture.playsOf(flow._id)).toHaveLength(2);
    expect(await plays.countDocuments({ flowId: flow._id, failurePending: { $exists: true } })).toBe(0);
  });

  it('starts one of its own each, also when many fail at once', async () => {
    const { flow, handler } = await pair();
    const failed = await fail(flow, 120);
    const [one, other] = [scheduler(), scheduler()];
    const started = await Promise.all([one.walk.pass(), other.walk.pass()]);
    expect(started[0] + started[1]).toBe(120);
    const handled = (await fixture.playsOf(handler._id)).map(({ handlesFailureOf }) => handlesFailureOf);
    expect(handled.sort()).toEqual(failed.map(({ _id }) => _id).sort());
  });
});

describe('a failure whose flow cannot be run', () => {
  it.each([
    ['was deleted', { filteredAt: state.now }, /^not_found: .* was deleted/],
    ['is disabled', { enabled: false }, /^flow_disabled: /],
    [
      'does not take its args',
      { argsSchema: { type: 'object', required: ['order'], properties: { order: {} } } },
      /^invalid_args: /,
    ],
  ])('because it %s is given up once, and an entry in the audit log says why', async (_why, fields, reason) => {
    const { flow, handler } = await pair(fields);
    const [failed] = (await fail(flow)) as [Play];
    const both = [scheduler(), scheduler()];
    await Promise.all(both.map(({ walk }) => walk.pass()));
    expect(both.flatMap(({ givenUp }) => givenUp)).toHaveLength(1);
    expect(await fixture.playsOf(handler._id)).toEqual([]);
    const left = await stored(failed._id);
    for (const field of ['failurePending', 'failureHandledBy']) expect(left).not.toHaveProperty(field);
    const found = await entries.find({ action_type: 'failure_not_handled', resource_id: failed._id }).toArray();
    expect(found).toMatchObject([
      { company_id: flow.company_id, changes: { onFailure: { before: handler._id, after: null } } },
    ]);
    expect(found[0]?.reason).toMatch(reason);
  });

  it('is not given up by a scheduler that read it before another one began to start its play', async () => {
    const { flow, handler } = await pair();
    const [failed] = (await fail(flow)) as [Play];
    const [scope, repository] = [new SystemScope('spec'), new FailedPlaysRepository(fixture.mongo)];
    const asRead = (await repository.pending(scope, 50, [])).find(({ _id }) => _id === failed._id);
    if (!asRead) throw new Error('not pending');
    expect(await repository.claim(scope, asRead, 'id')).toBe(true);
    expect(await repository.claim(scope, asRead, 'other')).toBe(false);
    expect(await repository.giveUp(scope, asRead, 'no')).toBe(false);
    await scheduler().walk.pass();
    expect((await fixture.playsOf(handler._id)).map(({ _id }) => _id)).toEqual(['id']);
  });

  it('because too many plays wait is tried again for a day, while other companies have theirs', async () => {
    const [full, other] = [await pair(), await pair()];
    const [waiting] = (await fail(full.flow)) as [Play];
    await fail(other.flow);
    const busy = busyFor(full.handler);
    await busy.walk.pass();
    expect(busy.givenUp).toEqual([]);
    expect((await stored(waiting._id)).failurePending).toBe(full.handler._id);
    expect(await fixture.playsOf(other.handler._id)).toHaveLength(1);
    await scheduler().walk.pass();
    expect(await fixture.playsOf(full.handler._id)).toHaveLength(1);
    const [late] = (await fail(full.flow, 1, { completedAt: new Date(state.now.getTime() - 86_400_001) })) as [Play];
    const stillBusy = busyFor(full.handler);
    await stillBusy.walk.pass();
    expect(stillBusy.givenUp).toEqual([expect.stringContaining(`${late._id} backlog_full: `)]);
  });
});
