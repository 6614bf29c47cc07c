import {
  ChangeSequencer,
  SystemScope,
  WebhookDeliveriesRepository,
  WebhookOutboxesRepository,
  WebhookRepository,
} from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { playMoves } from '../../../../test/fixtures/ended-play.js';
import { CompanyOutbox } from './company-outbox.js';

const { mongo, person } = await liveApi();
const moves = playMoves(mongo);
const outboxes = new WebhookOutboxesRepository(mongo);
const webhooks = new WebhookRepository(mongo);
const deliveries = new WebhookDeliveriesRepository(mongo);
const ALL = new SystemScope('the spec takes the lease of a company');
const OWNER = 'spec';

async function endpoint(admin: Person): Promise<string> {
  const body = { name: 'spec', url: 'http://127.0.0.1:9/', events: ['play.done'] };
  const answer = await admin.send('POST', '/api/v1/webhooks', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return textOf(answer.body.id);
}

async function owned(admin: Person): Promise<void> {
  const outbox = await outboxes.find(admin.scope);
  if (!outbox || !(await outboxes.take(ALL, outbox, OWNER))) throw new Error('the lease was not taken');
}

const sequencer = new ChangeSequencer(mongo);
const outboxWith = (pass: ChangeSequencer['pass']) =>
  new CompanyOutbox({ mongo, sequencer: { pass }, base: 'http://127.0.0.1:9', owner: OWNER });

async function foundOf(admin: Person, webhookId: string): Promise<(string | null)[]> {
  const { items } = await deliveries.list(admin.scope, webhookId, undefined, { page: 0, size: 100, after: null });
  return items.map(({ playId }) => playId);
}

describe('the outbox of a company', () => {
  it('has the events of an endpoint that is made during a pass', async () => {
    const admin = await person('admin');
    const newPlay = storedPlays(mongo, admin);
    const flowId = await storedFlow(mongo, admin);
    const first = await endpoint(admin);
    await owned(admin);
    let second = '';
    let playId = '';
    const outbox = outboxWith(async (scope) => {
      if (second === '') {
        second = await endpoint(admin);
        playId = (await moves.end(await newPlay(flowId)))._id;
      }
      await sequencer.pass(scope);
    });
    for (let i = 0; i < 2; i += 1) await outbox.pass(admin.scope, await webhooks.all(admin.scope));
    expect(await foundOf(admin, first)).toEqual([playId]);
    expect(await foundOf(admin, second)).toEqual([playId]);
  });
});
