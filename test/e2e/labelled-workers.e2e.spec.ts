// An installation of its own: its workers start and end, and it has short times.
import type { Play } from '@weft/engine';
import { waitFor, type SpawnedProcess } from '@weft/testing';
import { expect, it } from 'vitest';
import { watchPlays } from '../chaos/harness/cluster.js';
import { SHORT_TIMES_ENV } from '../chaos/harness/short-times.js';
import { startFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const LABEL = 'acme';
const fleet = await startFleet({ apps: ['api', 'worker', 'scheduler'], env: SHORT_TIMES_ENV });
const { admin, one, add } = fleet;
const { plays } = await watchPlays(fleet.servers);
const acme = await neighbourCompany(fleet);
const common = one('worker');
const { company_id: companyId } = await acme.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');

const layers = [{ ref: 'say', appId: 'text-template', args: { template: 'hello' } }];
const theirs = await acme.createFlow({ name: 'theirs', layers });
const ours = await admin.createFlow({ name: 'ours', layers });

/** Resolves when the API, which may know the label of a second ago, has the new one. */
async function label(worker_label: string | null): Promise<void> {
  await admin.must(200, 'PATCH', `/api/v1/companies/${companyId}`, { worker_label });
  const name = worker_label === null ? 'plays-0' : `plays-0-${worker_label}`;
  await waitFor(async () => (await queueOf()).shards[0]?.name === name, { what: 'the label at the API' });
}

interface Queue {
  readonly shards: readonly { readonly name: string }[];
  readonly workers: readonly { readonly id: string }[];
}

/** What the admin of the company sees of it. */
const queueOf = () => acme.must<Queue>(200, 'GET', '/api/v1/admin/queue');
const runs = async (client: typeof admin, flowId: string, more: object = {}): Promise<string[]> =>
  (await Promise.all([1, 2, 3].map(() => client.run(flowId, more)))).map(({ playId }) => playId);
const startOf = (worker: SpawnedProcess) => /"boot_id":"([^"]+)"/.exec(worker.output())?.[1] ?? 'unknown';
const labelled = () => add('worker', { env: { WORKER_LABEL: LABEL } });
const metrics = async () => (await fetch(`${one('scheduler').url}/metrics`)).text();
const whyOf = (playId: string) => acme.must<object>(200, 'GET', `/api/v1/plays/${playId}/waiting`);

/** The processes that executed these plays, when all are done. */
async function executedBy(client: typeof admin, ids: readonly string[]): Promise<readonly string[]> {
  for (const id of ids) await client.waitForPlay(id, { state: 'DONE' });
  const found: Pick<Play, 'layers'>[] = await plays.find({ _id: { $in: [...ids] } }).toArray();
  return [...new Set(found.flatMap((play) => play.layers.map(({ by }) => by.split(':')[0] ?? '')))];
}

it('executes the plays of a company with a label on its own workers alone, and moves those that wait when the label changes', async () => {
  const delayed = await runs(acme, theirs.id, { delayMs: 3_000 });
  await label(LABEL);
  const waiting = await runs(acme, theirs.id);
  expect(await executedBy(admin, await runs(admin, ours.id))).toEqual([startOf(common)]);
  const text = expect.stringContaining(`a worker labelled "${LABEL}"`) as string;
  expect(await whyOf(waiting[0] ?? '')).toMatchObject({ state: 'NEW', reason: 'no_worker', message: text });
  await waitFor(async () => (await metrics()).includes(`weft_label_backlog_plays{label="${LABEL}"} 6`), {
    what: 'the gauge of those that wait, the delayed ones among them',
  });
  expect(await metrics()).toContain(`weft_label_workers{label="${LABEL}"} 0`);
  expect(await metrics()).toMatch(/^weft_backlog_plays 0$/m);

  const own = await labelled();
  expect(await executedBy(acme, [...delayed, ...waiting, ...(await runs(acme, theirs.id))])).toEqual([startOf(own)]);
  expect(await executedBy(admin, await runs(admin, ours.id))).toEqual([startOf(common)]);
  expect((await queueOf()).workers.map(({ id }) => id)).toEqual([startOf(own)]);

  await own.stop();
  const left = await runs(acme, theirs.id);
  await waitFor(async () => (await metrics()).includes(`weft_label_backlog_plays{label="${LABEL}"} 3`), {
    what: 'those that are left to wait',
  });
  await label(null);
  expect(await executedBy(acme, left)).toEqual([startOf(common)]);

  // and back, while plays wait in the queue of the common workers
  await common.stop();
  const back = await runs(acme, theirs.id);
  await waitFor(async () => /^weft_backlog_plays 3$/m.test(await metrics()), { what: 'those in the common queue' });
  const next = await labelled();
  await label(LABEL);
  expect(await executedBy(acme, back)).toEqual([startOf(next)]);
});
