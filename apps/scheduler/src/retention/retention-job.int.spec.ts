import { randomBytes } from 'node:crypto';
import { loadSettings } from '@weft/config';
import { Metrics } from '@weft/observability';
import { Mongo } from '@weft/store';
import { ensureIndexes, RunTimeSettings } from '@weft/records';
import { liveMongo } from '@weft/testing';
import { pino } from 'pino';
import { afterAll, expect, it, vi } from 'vitest';
import type { JobDefinition } from '../jobs/job-definition.js';
import { RetentionJob } from './retention-job.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

it('cleans although MongoDB does not say how large a play is', async () => {
  const secret = () => randomBytes(32).toString('hex');
  const secrets = { ENC_KEY_SECRET: secret(), ENV_KEY_SALT: secret() };
  const settings = loadSettings(
    { MONGODB_URI: uri, REDIS_URL: 'redis://127.0.0.1', ...secrets },
    { standalone: false },
  );
  const jobs: JobDefinition[] = [];
  const [own, log] = [{ add: (job: JobDefinition) => jobs.push(job) }, pino({ level: 'silent' })];
  const runTime = new RunTimeSettings(mongo, settings);
  new RetentionJob(own as never, mongo, settings, runTime, new Metrics(), { publish: vi.fn() } as never, log);
  const asked = vi.spyOn(mongo, 'deadline').mockReturnValueOnce(AbortSignal.abort(new Error('no answer in time')));

  const run = {
    startedAt: new Date(mongo.serverNow()),
    signal: AbortSignal.any([]),
    tellLeft: () => Promise.resolve(),
  };
  expect(await jobs[0]?.run(run)).toEqual({ entriesDeleted: 0, hasFaults: false });
  expect(asked).toHaveBeenCalled();
});
