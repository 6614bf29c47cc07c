import { WebhookRepository, type ReplayDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../test/api/live-api.js';
import type { CompanyOutbox } from './company-outbox.js';
import { ReplayRunner } from './replay-runner.js';

const { mongo, person } = await liveApi();
const webhooks = new WebhookRepository(mongo);

describe('a replay from the change log for an endpoint that has as many pending deliveries as it may have', () => {
  const outbox = { backlogs: { isFull: () => Promise.resolve(true) } } as unknown as CompanyOutbox;

  it.each([
    { enabled: true, state: 'running', what: 'waits while they are delivered' },
    { enabled: false, state: 'aborted', what: 'ends where they are not, because it is disabled' },
  ])('$what', async ({ enabled, state }) => {
    const admin = await person('admin');
    const body = { name: 'spec', url: 'http://127.0.0.1:9/', events: ['play.done'], enabled };
    const made = await admin.send('POST', '/api/v1/webhooks', { body });
    const time = { since: '2026-11-01T00:00:00Z', until: '2026-11-02T00:00:00Z', only: 'all' };
    const replay = await admin.send('POST', `/api/v1/webhooks/${textOf(made.body.id)}/replay`, { body: time });
    await new ReplayRunner(mongo, outbox).pass(admin.scope, await webhooks.all(admin.scope));
    const replays = mongo.collection<ReplayDocument>('webhook_replays');
    const found = await replays.findOne({ _id: textOf(replay.body.id) });
    expect(found?.state).toBe(state);
    expect(found?.completedAt === null).toBe(enabled);
  });
});
