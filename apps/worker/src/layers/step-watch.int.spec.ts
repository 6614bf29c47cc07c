import { Metrics } from '@weft/observability';
import { ensureIndexes } from '@weft/records';
import { AUDIT_LOGS, Mongo } from '@weft/store';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, expect, it } from 'vitest';
import { stepWatch } from './step-watch.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
const metrics = new Metrics();
afterAll(async () => {
  metrics.close();
  await mongo.close();
});

const { aboutToCall } = stepWatch(mongo, metrics, () => false);
const play = aPlay({ companyId: 'c' });
const call = { play, ref: 'agent', step: 1, tool: 'pay', idempotencyKey: 'key' };

it('records a call once and by one command: a worker that dies meanwhile leaves no transaction for which the next one waits', async () => {
  const sent: unknown[] = [];
  mongo.connection
    .getClient()
    .on('commandStarted', ({ commandName, command }) => sent.push([commandName, command.startTransaction ?? false]));
  await aboutToCall(call);
  expect(sent).toEqual([['insert', false]]);
  await aboutToCall(call);
  expect(await mongo.collection(AUDIT_LOGS).countDocuments({ company_id: 'c' })).toBe(1);
});
