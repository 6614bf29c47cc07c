import type { JobName } from '@weft/contracts';
import { Mongo } from '@weft/store';
import { JOBS, JobRepository, LEASES, ensureIndexes, type JobDocument, type LeaseDocument } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobDefinition, JobResult } from './job-definition.js';
import { JobRunner } from './job-runner.js';

const HOUR_MS = 3_600_000;
const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());
const store = new JobRepository(mongo);
const records = mongo.collection<JobDocument>(JOBS);
const NAME: JobName = 'retention';

const leases = mongo.collection<LeaseDocument>(LEASES);
beforeEach(() => Promise.all([records.deleteMany({}), leases.deleteMany({})]));

interface Fixture {
  readonly runner: JobRunner;
  readonly faults: unknown[];
}

function scheduler(job: Partial<JobDefinition>, leaseMs = 30_000): Fixture {
  const faults: unknown[] = [];
  const runner = new JobRunner({ store, leaseMs, onFault: (_name, error) => faults.push(error) });
  runner.add({ name: NAME, everyMs: () => HOUR_MS, run: () => Promise.resolve({}), ...job });
  return { runner, faults };
}

async function stored(): Promise<JobDocument> {
  const [job] = await store.list();
  if (!job) throw new Error('the job is not known');
  return job;
}

async function passAll(...fixtures: readonly Fixture[]): Promise<void> {
  await Promise.all(fixtures.map(({ runner }) => runner.pass()));
  await Promise.all(fixtures.map(({ runner }) => runner.idle()));
}

describe('the background jobs', () => {
  it('run once an interval, with three schedulers that all start on an empty database', async () => {
    let runs = 0;
    const job = { run: () => Promise.resolve<JobResult>({ entriesDeleted: (runs += 1) }) };
    const schedulers = [1, 2, 3].map(() => scheduler(job));
    await passAll(...schedulers);
    await passAll(...schedulers);
    expect(runs).toBe(1);
    const { lastRun, nextRun, ...rest } = await stored();
    expect(rest).toMatchObject({ status: 'ok', entriesDeleted: 1, run: null });
    expect(nextRun.getTime() - (lastRun?.getTime() ?? 0)).toBe(HOUR_MS);

    await records.updateOne({ _id: NAME }, [{ $set: { nextRun: '$$NOW' } }]);
    await passAll(...schedulers);
    expect(runs).toBe(2);
  });

  it('are not begun again while they run, and are once more when somebody asked meanwhile', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const gate = new Promise<void>((resolve) => (end = resolve));
    const run = async () => {
      runs += 1;
      await gate;
      return {};
    };
    const [one, two] = [scheduler({ run }), scheduler({ run })];
    await one.runner.pass();
    expect(await stored()).toMatchObject({ status: 'running' });
    const entry = { action_type: 'job_requested', collection: JOBS, company_id: 'c' } as const;
    expect(await store.ask(NAME, entry)).toBe(true);
    await Promise.all([one.runner.pass(), two.runner.pass()]);
    expect(runs).toBe(1);
    end();
    await one.runner.idle();
    await passAll(one, two);
    await passAll(one, two);
    expect(runs).toBe(2);
  });

  it('are taken over when the process that ran them is gone, and who comes back late changes nothing', async () => {
    await store.declare(NAME, HOUR_MS);
    const dead = await store.claim(NAME, 0);
    if (!dead) throw new Error('the job was not claimed');
    expect(await stored()).toMatchObject({ status: 'failed', run: dead.run });
    const two = scheduler({ run: () => Promise.resolve({ entriesDeleted: 7 }) });
    await passAll(two);
    expect(await store.renew(dead, 30_000)).toBe(false);
    await store.finish(dead, { status: 'failed', entriesDeleted: 0, goesOn: true });
    expect(await stored()).toMatchObject({ status: 'ok', entriesDeleted: 7, run: null });
  });

  it('tell a run that another process has taken over', async () => {
    const aborted = Promise.withResolvers<boolean>();
    const one = scheduler(
      { run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({}))) },
      30,
    );
    await one.runner.pass();
    await leases.updateOne({ _id: `job:${NAME}` }, { $set: { holder: 'b' } });
    await records.updateOne({ _id: NAME }, { $set: { run: 'b' } });
    void one.runner.idle().then(() => aborted.resolve(true));
    expect(await aborted.promise).toBe(true);
    expect(await stored()).toMatchObject({ run: 'b' });
  });

  it('that fail are told, show as failed, and run again at the next interval', async () => {
    const one = scheduler({ run: () => Promise.reject(new Error('the store is away')) });
    await passAll(one);
    expect(one.faults).toEqual([new Error('the store is away')]);
    expect(await stored()).toMatchObject({ status: 'failed', run: null });
    await passAll(one);
    expect(one.faults).toHaveLength(1);
  });

  it('are given back by a process that stops, and go on elsewhere at once', async () => {
    const run: JobDefinition['run'] = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ entriesDeleted: 3 })));
    const one = scheduler({ run });
    await one.runner.pass();
    await one.runner.stop();
    expect(await stored()).toMatchObject({ status: 'ok', entriesDeleted: 3, run: null });
    expect(await store.due([NAME])).toEqual([NAME]);
  });

  it('follow an interval that is changed', async () => {
    let everyMs = HOUR_MS;
    let runs = 0;
    const run = () => Promise.resolve({ entriesDeleted: (runs += 1) });
    const one = scheduler({ run, everyMs: () => everyMs });
    await passAll(one);
    expect(await store.due([NAME])).toEqual([]);
    everyMs = 0;
    await passAll(one);
    expect([(await stored()).everyMs, runs]).toEqual([0, 2]);
  });
});
