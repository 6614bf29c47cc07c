import { AUDIT_LOGS, type AuditDocument } from '@weft/store';
import { WebhookOutboxesRepository, WebhookRepository, type DeliveryDocument } from '@weft/records';
import { orderOf } from '@weft/webhooks';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { storedFlow } from '../../../../test/api/stored-play.js';
import { AuditEvents } from './audit-events.js';

const { mongo, person } = await liveApi();
const outboxes = new WebhookOutboxesRepository(mongo);
const webhooks = new WebhookRepository(mongo);

async function endpoint(admin: Person, events: readonly string[]): Promise<string> {
  const body = { name: 'spec', url: 'http://127.0.0.1:9/', events };
  const answer = await admin.send('POST', '/api/v1/webhooks', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return textOf(answer.body.id);
}

const eventsInto = (made: DeliveryDocument[]) =>
  new AuditEvents({
    ...{ mongo, base: 'http://127.0.0.1:9' },
    store: (_scope, found) => Promise.resolve(void made.push(...found)),
  });

describe('events that are not about plays', () => {
  it('are looked for from where somebody began to want them', async () => {
    const admin = await person('admin');
    const id = await endpoint(admin, ['play.done']);
    const longAgo = new Date(Date.now() - 30 * 86_400_000);
    await outboxes.moveOn(admin.scope, {}, { audit_to: longAgo });
    const made: DeliveryDocument[] = [];
    const audit = eventsInto(made);
    await audit.pass(admin.scope, await webhooks.all(admin.scope), mongo.serverNow());
    const moved = (await outboxes.find(admin.scope))?.audit_to.getTime() ?? 0;
    expect(Date.now() - moved).toBeLessThan(60_000);
    await storedFlow(mongo, admin);
    const body = { events: ['flow.changed'], enabled: false };
    await admin.send('PATCH', `/api/v1/webhooks/${id}`, { body });
    await storedFlow(mongo, admin);
    await admin.send('PATCH', `/api/v1/webhooks/${id}`, { body: { enabled: true } });
    await storedFlow(mongo, admin);
    await audit.pass(admin.scope, await webhooks.all(admin.scope), mongo.serverNow());
    expect(made.map(({ event }) => event)).toEqual(['flow.changed']);
    const entries = { company_id: admin.scope.companyId, action_type: 'flow_created' } as const;
    expect(await mongo.collection<AuditDocument>(AUDIT_LOGS).countDocuments(entries)).toBe(3);
  });

  it('come before those of plays that follow them, in their own order, so that these do not hold them up without end', async () => {
    const admin = await person('admin');
    await endpoint(admin, ['play.done', 'flow.changed']);
    await outboxes.moveOn(admin.scope, {}, { next_batch: 7 });
    for (let i = 0; i < 2; i += 1) await storedFlow(mongo, admin);
    const made: DeliveryDocument[] = [];
    await eventsInto(made).pass(admin.scope, await webhooks.all(admin.scope), mongo.serverNow());
    const orders = made.map(({ order }) => order);
    expect(orders).toHaveLength(2);
    const places = [orderOf(6, 499, 1_000), ...orders, orderOf(7, 0, 1)];
    expect([...places].reverse().sort()).toEqual(places);
  });
});
