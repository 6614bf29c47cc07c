import type { Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import {
  AUDIT_LOGS,
  FailedPlaysRepository,
  PayloadStore,
  SystemScope,
  TenantScope,
  type AuditDocument,
} from '@weft/store';
import { FLOWS, type FlowDocument } from '@weft/records';
import { SETTINGS } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
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
    payloads: new PayloadStore(fixture.mongo),
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
  const refused: string[] = [];
  const acceptUncounted: FailureWalkDeps['acceptance']['acceptUncounted'] = (flow, ask) => {
    if (flow.id !== flowId) return deps.acceptance.acceptUncounted(flow, ask);
    refused.push(String(ask.handlesFailureOf));
    return Promise.reject(new WeftError('backlog_full', 'Too many plays wait.'));
  };
  const acceptance = { acceptUncounted, nextPlayId: deps.acceptance.nextPlayId };
  return { ...seen, refused, walk: new FailureWalk({ ...deps, acceptance }) };
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
async function fail(flow: FlowDocument, count = 1, fields: Partial<Play> = {}, given: object = {}): Promise<Play[]> {
  const runnable = await runner.deps.flows.get(new TenantScope(flow.company_id), flow._id);
  if (!runnable) throw new Error('no flow');
  const { acceptance } = fixture.acceptor();
  const error = { code: 'bad_status', message: 'answered 500', ref: 'send' };
  const accepted: Play[] = [];
  for (let n = 0; n < count; n += 1) {
    const ask = {
      args: { n, ...given },
      trigger: 'api',
      triggeredBy: flow.createdBy,
      labels: { env: 'test' },
    } as const;
    accepted.push((await acceptance.accept(runnable, ask)).play);
  }
  const end = { state: 'FAIL' as const, completedAt: state.now, error, ...fields };
  await plays.updateMany({ _id: { $in: accepted.map(({ _id }) => _id) } }, { $set: end, $unset: { heartbeatAt: 1 } });
  return accepted;
}

const stored = async (id: string): Promise<Play> => (await plays.findOne({ _id: id })) as Play;

describe('a failed play', () => {
  it.each([
    ['its own', { ...SETTINGS }, 4],
    ['that of the flow that handles it', { ...SETTINGS, priority: -2 }, -2],
  ])('is handled with a priority: %s', async (_which, settings, priority) => {
    const { flow, handler } = await pair({ settings });
    await fail(flow, 1, { priority: 4 });
    await scheduler().walk.pass();
    expect(await fixture.playsOf(handler._id)).toMatchObject([{ priority }]);
  });

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

  it('gives the args with every digit, which are stored apart for the sake of their integers', async () => {
    const { flow, handler } = await pair();
    const id = 7615917337495251231n;
    const [failed] = (await fail(flow, 1, {}, { id })) as [Play];
    expect((await stored(failed._id)).args).toEqual({});
    await scheduler().walk.pass();
    const [started] = (await fixture.playsOf(handler._id)) as [Play];
    const args = await new PayloadStore(fixture.mongo).argsOf(new TenantScope(flow.company_id), started);
    expect(args).toMatchObject({ play: { args: { n: 0, id } } });
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
    // if an id was fixed, another scheduler might still store the play
    fixture.pass(60_000);
    const later = [scheduler(), scheduler()];
    await Promise.all(later.map(({ walk }) => walk.pass()));
    expect([...both, ...later].flatMap(({ givenUp }) => givenUp)).toHaveLength(1);
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
    const asRead = (await repository.pending(scope, flow.company_id, 50, [])).find(({ _id }) => _id === failed._id);
    if (!asRead) throw new Error('not pending');
    expect(await repository.claim(scope, asRead, 'id')).toBe(true);
    expect(await repository.claim(scope, asRead, 'other')).toBe(false);
    expect(await repository.giveUp(scope, asRead, 'no')).toBe(false);
    await scheduler().walk.pass();
    expect((await fixture.playsOf(handler._id)).map(({ _id }) => _id)).toEqual(['id']);
  });

  it('is not given up while the scheduler that fixed the id of its play may store it', async () => {
    const { flow, handler } = await pair();
    const [failed] = (await fail(flow)) as [Play];
    const { deps } = scheduler();
    const other = scheduler();
    const flows: FailureWalkDeps['flows'] = {
      get: async (...args) => {
        const found = await other.deps.flows.get(...args);
        return found && { ...found, enabled: false };
      },
    };
    const acceptance: FailureWalkDeps['acceptance'] = {
      nextPlayId: deps.acceptance.nextPlayId,
      acceptUncounted: async (runnable, ask) => {
        // at this moment another scheduler finds that the flow was disabled
        if (runnable.id === handler._id) await new FailureWalk({ ...other.deps, flows }).pass();
        return deps.acceptance.acceptUncounted(runnable, ask);
      },
    };
    expect(await new FailureWalk({ ...deps, acceptance }).pass()).toBe(1);
    expect(other.givenUp).toEqual([]);
    const [started] = await fixture.playsOf(handler._id);
    expect((await stored(failed._id)).failureHandledBy).toBe(started?._id);
  });

  it('is not given up when its play was stored after the first look', async () => {
    const { flow, handler } = await pair();
    const [failed] = (await fail(flow)) as [Play];
    await scheduler({ diesBeforeSettling: true }).walk.pass();
    await setFlow(handler._id, { enabled: false });
    fixture.pass(60_000);
    const { deps, givenUp } = scheduler();
    let looks = 0;
    class LooksEarly extends Repository {
      override isStored(...args: Parameters<FailedPlaysRepository['isStored']>): Promise<boolean> {
        looks += 1;
        return looks === 1 ? Promise.resolve(false) : super.isStored(...args);
      }
    }
    await new FailureWalk({ ...deps, plays: new LooksEarly(false) }).pass();
    expect(givenUp).toEqual([]);
    expect(looks).toBe(2);
    const [started] = await fixture.playsOf(handler._id);
    const left = await stored(failed._id);
    expect(left.failureHandledBy).toBe(started?._id);
    expect(left).not.toHaveProperty('failurePending');
  });

  it('does not count as a run that was refused', async () => {
    const argsSchema = { type: 'object', required: ['order'], properties: { order: {} } };
    const { flow, handler } = await pair({ argsSchema });
    await fail(flow);
    const refused = vi.spyOn(fixture.metrics, 'runRefused');
    const { walk, deps } = scheduler();
    await walk.pass();
    expect(refused).not.toHaveBeenCalled();
    const runnable = await deps.flows.get(new TenantScope(flow.company_id), handler._id);
    if (!runnable) throw new Error('no flow');
    const ask = { args: {}, trigger: 'api', triggeredBy: null } as const;
    await expect(fixture.acceptor().acceptance.accept(runnable, ask)).rejects.toMatchObject({ code: 'invalid_args' });
    expect(refused.mock.calls).toEqual([['invalid_args']]);
    refused.mockRestore();
    await plays.deleteMany({ flowId: flow._id });
  });

  it('because too many plays wait leaves the pass to other companies, however many such failures there are', async () => {
    const [full, other] = [await pair(), await pair()];
    const [{ _id: first }] = (await fail(full.flow)) as [Play];
    const { _id, ...failed } = await stored(first);
    const copies = Array.from({ length: 1_200 }, (_, n) => ({ ...failed, _id: `${_id}${n}` }));
    await plays.insertMany(copies);
    await fail(other.flow, 1, { completedAt: new Date(state.now.getTime() + 1_000) });
    const busy = busyFor(full.handler);
    await busy.walk.pass();
    expect(await fixture.playsOf(other.handler._id)).toHaveLength(1);
    expect(busy.refused.length).toBeGreaterThan(0);
    expect(busy.refused.length).toBeLessThanOrEqual(8);
    await plays.deleteMany({ flowId: full.flow._id });
  });

  it('takes its turn after a page of those of another company', async () => {
    const [many, few] = [await pair(), await pair()];
    await fail(many.flow, 120);
    await fail(few.flow, 1, { completedAt: new Date(state.now.getTime() + 1_000) });
    const accepted: string[] = [];
    const { deps } = scheduler();
    const acceptUncounted: FailureWalkDeps['acceptance']['acceptUncounted'] = (flow, ask) => {
      if ([many.handler._id, few.handler._id].includes(flow.id)) accepted.push(flow.id);
      return deps.acceptance.acceptUncounted(flow, ask);
    };
    const acceptance = { acceptUncounted, nextPlayId: deps.acceptance.nextPlayId };
    await new FailureWalk({ ...deps, acceptance }).pass();
    expect(accepted.filter((id) => id === many.handler._id)).toHaveLength(120);
    expect(accepted.slice(0, 51)).toContain(few.handler._id);
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
    await busyFor(full.handler).walk.pass();
    fixture.pass(60_000);
    const stillBusy = busyFor(full.handler);
    await stillBusy.walk.pass();
    expect(stillBusy.givenUp).toEqual([expect.stringContaining(`${late._id} backlog_full: `)]);
  });
});
