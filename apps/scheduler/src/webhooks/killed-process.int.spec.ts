import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient } from '@weft/egress';
import { SecretBox } from '@weft/identity';
import { ChangeSequencer, SystemScope, type Mongo } from '@weft/store';
import {
  WebhookDeliveriesRepository,
  WebhookReplaysRepository,
  WebhookRepository,
  type DeliveryState,
  type WebhookDocument,
} from '@weft/records';
import { ledgerServer, waitFor } from '@weft/testing';
import { signerOf } from '@weft/webhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { dying, killAtEach, type Kill } from '../../../../test/fixtures/dying-mongo.js';
import { playMoves } from '../../../../test/fixtures/ended-play.js';
import { AttemptResults } from './attempt-results.js';
import { CompanyOutbox } from './company-outbox.js';
import { EndpointQueue } from './endpoint-queue.js';
import { ReplayRunner } from './replay-runner.js';
import { CompanySlots } from './send-limits.js';

const { app, mongo, person } = await liveApi();
const settings = app.get<Settings>(SETTINGS, { strict: false });
const moves = playMoves(mongo);
const deliveries = new WebhookDeliveriesRepository(mongo);
const webhooks = new WebhookRepository(mongo);
const http = createEgressClient(settings.egress);
const to = await ledgerServer();
afterAll(() => Promise.all([http.close(), to.close()]));
const PAGE = { page: 0, size: 100, after: null };

async function endpoint(admin: Person, fields: object = {}): Promise<WebhookDocument> {
  const body = { name: 'spec', url: to.url, events: ['play.done'], ...fields };
  const made = await admin.send('POST', '/api/v1/webhooks', { body });
  return (await webhooks.find(admin.scope, textOf(made.body.id))) as WebhookDocument;
}

const outboxBy = (by: Mongo) => new CompanyOutbox({ mongo: by, sequencer: new ChangeSequencer(by), base: to.url });

const stateOf = async (admin: Person, { _id }: WebhookDocument, id: string): Promise<DeliveryState | undefined> =>
  (await deliveries.find(admin.scope, _id, id))?.state;

describe('a process that is killed', () => {
  it('while it makes deliveries leaves none out, and none twice', async () => {
    const admin = await person('admin');
    const webhook = await endpoint(admin);
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const expected: string[] = [];
    const survived = await killAtEach(async (kill) => {
      const { _id } = await moves.end(await newPlay(flowId));
      expected.push(`${webhook._id}_${_id}_2`);
      const process = dying(mongo, kill);
      await outboxBy(process.mongo)
        .pass(admin.scope, [webhook])
        .catch(() => undefined);
      await outboxBy(mongo).pass(admin.scope, [webhook]);
      return process.isDead();
    });
    expect(survived).toBeGreaterThan(8);
    const { items } = await deliveries.list(admin.scope, webhook._id, undefined, PAGE);
    expect(items.map(({ _id }) => _id).sort()).toEqual(expected.sort());
  });

  it.each([{ ordered: false }, { ordered: true }])(
    'while it sends leaves nothing unsent, each under its id (ordered: $ordered)',
    async ({ ordered }) => {
      const admin = await person('admin');
      const webhook = await endpoint(admin, { ordered });
      const newPlay = storedPlays(mongo, admin);
      const flowId = await storedFlow(mongo, admin);
      const outbox = outboxBy(mongo);
      const queueBy = (by: Mongo, onFault: (error: unknown) => void) => {
        const store = new WebhookDeliveriesRepository(by);
        return new EndpointQueue(webhook, {
          ...{ egress: http, serverNow: () => mongo.serverNow(), wallNow: () => Date.now() },
          ...{ deliveries: store, results: new AttemptResults(store), slots: new CompanySlots(10) },
          ...{ maySend: () => true, onAttempt: () => undefined, onFault },
          signerOf: (of) => signerOf(new SecretBox(settings.secrets), of, new Date()),
        });
      };
      const kills: Kill[] = [
        { at: 1, of: 'find', when: 'before' },
        { at: 1, of: 'bulkWrite', when: 'before' },
        { at: 1, of: 'bulkWrite', when: 'after' },
      ];
      for (const kill of kills) {
        const { _id } = await moves.end(await newPlay(flowId));
        const id = `${webhook._id}_${_id}_2`;
        await outbox.pass(admin.scope, [webhook]);
        const isStored = kill.when === 'after';
        let faults = 0;
        const killed = queueBy(dying(mongo, kill).mongo, () => (faults += 1));
        killed.update(webhook);
        await waitFor(() => faults > 0, { what: 'the kill' });
        killed.stop();
        expect(await stateOf(admin, webhook, id)).toBe(isStored ? 'delivered' : 'pending');
        const next = queueBy(mongo, (error) => expect.unreachable(String(error)));
        next.update(webhook);
        await waitFor(async () => (await stateOf(admin, webhook, id)) === 'delivered', { what: 'the delivery' });
        next.stop();
        const sent = to.calls.filter(({ headers }) => headers['webhook-id'] === id);
        expect(sent).toHaveLength(kill.of === 'bulkWrite' && !isStored ? 2 : 1);
      }
    },
  );

  it('while it replays leaves nothing unsent', async () => {
    const admin = await person('admin');
    const webhook = await endpoint(admin);
    const newPlay = storedPlays(mongo, admin);
    const { _id } = await moves.end(await newPlay(await storedFlow(mongo, admin)));
    await outboxBy(mongo).pass(admin.scope, [webhook]);
    const id = `${webhook._id}_${_id}_2`;
    const replays = new WebhookReplaysRepository(mongo);
    const [since, until] = [-3_600_000, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    for (const only of ['all', 'failed']) {
      const survived = await killAtEach(async (kill) => {
        const delivery = await deliveries.find(admin.scope, webhook._id, id);
        const attempt = { at: new Date(), status: 500, duration_ms: 1, error: null, answer: null };
        const result = {
          id,
          due: delivery?.next_attempt ?? null,
          attempt,
          state: 'failed',
          next_attempt: null,
        } as const;
        await deliveries.record(new SystemScope('the spec gives up a delivery'), [result]);
        expect(await stateOf(admin, webhook, id)).toBe('failed');
        const path = `/api/v1/webhooks/${webhook._id}/replay`;
        const replay = textOf((await admin.send('POST', path, { body: { since, until, only } })).body.id);
        const process = dying(mongo, kill);
        await new ReplayRunner(process.mongo, outboxBy(process.mongo))
          .pass(admin.scope, [webhook])
          .catch(() => undefined);
        await new ReplayRunner(mongo, outboxBy(mongo)).pass(admin.scope, [webhook]);
        expect(await replays.find(admin.scope, webhook._id, replay)).toMatchObject({ state: 'done' });
        expect(await stateOf(admin, webhook, id)).toBe('pending');
        return process.isDead();
      });
      expect(survived).toBeGreaterThan(2);
    }
  });
});
