// Processes of its own: a scheduler is killed.
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';

const { admin, ledger, one, add } = await startFleet({ apps: ['api', 'scheduler'] });

interface Api {
  readonly id: string;
  readonly state: string;
  readonly fault: string | null;
}

it('an import whose scheduler is killed is done by the next scheduler', async () => {
  const description = (await admin.send<object>('GET', '/api/openapi.json')).body;
  // the first call hangs until its process is gone
  ledger.answerWith(() => (ledger.calls.length > 1 ? { body: description } : new Promise(() => undefined)));
  const source = { url: `${ledger.url}/openapi.json` };
  const given = await admin.send<Api>('POST', '/api/v1/apis', { name: 'Weft itself', key: 'weft', source });
  expect(given).toMatchObject({ status: 202, body: { state: 'importing' } });
  await waitFor(() => ledger.calls.length === 1, { what: 'the import' });
  await one('scheduler').kill();
  await add('scheduler');
  const read = async () => (await admin.send<Api>('GET', '/api/v1/apis/weft')).body;
  const api = await waitFor(async () => (await read()).state !== 'importing' && read(), { what: 'the next scheduler' });
  expect(api).toMatchObject({ state: 'ready', fault: null, title: 'Weft', report: { skipped: [] } });
  const { body } = await admin.send('GET', '/api/v1/apis/weft/operations?q=Apis_');
  expect(body).toMatchObject({
    total: 10,
    items: expect.arrayContaining([expect.objectContaining({ name: 'Apis_adopt' })]) as unknown,
  });
});
