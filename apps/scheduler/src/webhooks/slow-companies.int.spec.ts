import { SETTINGS, type Settings } from '@weft/config';
import { Metrics } from '@weft/observability';
import { ChangeSequencer, type Mongo } from '@weft/store';
import { CompanyLimits } from '@weft/runs';
import { WEBHOOKS } from '@weft/records';
import { PassRunner } from '@weft/process';
import { ledgerServer, waitFor } from '@weft/testing';
import pino from 'pino';
import { afterAll, expect, it } from 'vitest';
import { liveApi, newId, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { playMoves } from '../../../../test/fixtures/ended-play.js';
import { runPasses } from '../../../../test/fixtures/run-passes.js';
import { Glance } from '../glance.js';
import { WebhookDeliverer } from './webhook-deliverer.js';

const { app, mongo, person } = await liveApi();
const to = await ledgerServer();
afterAll(() => to.close());

/** MongoDB that does not answer what is asked about the endpoints of this company. */
function silentAbout(companyId: string, onAsked: () => void): Mongo {
  const never = { sort: () => never, toArray: () => new Promise<never>(() => undefined) };
  const find = (target: ReturnType<Mongo['collection']>) => (filter: { readonly company_id?: string }) => {
    if (filter.company_id !== companyId) return target.find(filter);
    onAsked();
    return never;
  };
  return new Proxy(mongo, {
    get(target, name) {
      if (name !== 'collection') return Reflect.get(target, name, target) as unknown;
      return (of: string) => {
        const collection = target.collection(of);
        return of === WEBHOOKS
          ? Object.assign(Object.create(collection) as object, { find: find(collection) })
          : collection;
      };
    },
  });
}

it('a company whose pass does not end holds up no other one', async () => {
  const endpoint = (by: Person) =>
    by.send('POST', '/api/v1/webhooks', { body: { name: 'spec', url: to.url, events: ['play.done'] } });
  const [slow, other] = [await person('admin'), await person('admin')];
  await endpoint(slow);
  let asked = 0;
  const settings = app.get<Settings>(SETTINGS, { strict: false });
  const by = silentAbout(slow.scope.companyId, () => (asked += 1));
  const limits = app.get(CompanyLimits, { strict: false });
  const log = pino({ level: 'silent' });
  const glance = new Glance(mongo, app.get(PassRunner, { strict: false }));
  const deliverer = new WebhookDeliverer(
    settings,
    log,
    newId,
    by,
    new Metrics(),
    new ChangeSequencer(mongo),
    limits,
    glance,
  );
  const stopPasses = runPasses(deliverer);
  await waitFor(() => asked > 0, { what: 'the pass that does not end' });
  await endpoint(other);
  const { _id } = await playMoves(mongo).end(await storedPlays(mongo, other)(await storedFlow(mongo, other)));
  await waitFor(() => to.calls.length > 0, { what: 'the event of the other company' });
  expect(to.calls[0]?.body).toContain(_id);
  expect(asked).toBe(1);
  await stopPasses();
  await deliverer.drain(1_000);
});
