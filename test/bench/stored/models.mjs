// @ts-check
/** One play of each kind, made by the product: over its API, executed by its worker. */
import { setTimeout as delay } from 'node:timers/promises';
import { layersOfThePlay } from '../the-play.mjs';
import { modelsOf, ORDER } from './copies.mjs';

const WITHIN_MS = 30_000;
const DAY_MS = 86_400_000;
/** Of the first company; its last one never fails. */
const FLOWS = 20;
const OTHER_COMPANIES = 4;

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {number} perMillion of the stored plays
 * @property {boolean} [isOpen] it has not ended: its copies are as old as it is
 * @property {boolean} [fails] the last flow has none
 * @property {readonly import('./copies.mjs').Model[]} models
 */

/** Plays of a million. Retried ones and those with a child are two each. */
const PER_MILLION = /** @type {Record<string, number>} */ ({
  keyed: 120_000,
  labelled: 80_000,
  failed: 35_000,
  'by schedule': 20_000,
  filtered: 15_000,
  skipped: 5_000,
  retried: 10_000,
  'with child': 10_000,
  cancelled: 3_000,
  waiting: 200,
  delayed: 200,
  held: 100,
});

/**
 * @param {{ send: import('./asker.mjs').Send, db: import('mongoose').mongo.Db, targetOrigin: string }} product
 * @returns {Promise<{ kinds: readonly Kind[], companies: readonly { id: string, flows: readonly string[] }[] }>}
 */
export async function makeModels({ send, db, targetOrigin }) {
  const plays = db.collection('plays');
  const make = async (/** @type {string} */ name, /** @type {readonly object[]} */ layers, settings = {}) => {
    const { id } = await send('POST', '/api/v1/flows', { name, ...settings });
    for (const layer of layers) await send('POST', `/api/v1/flows/${id}/layers`, layer);
    return String(id);
  };
  const [fetch, text] = layersOfThePlay(targetOrigin);
  const template = { template: 'Order {{ $prev.args.order }} is {{ .fetch.json.status }}.' };
  const ordinary = [
    { ...fetch, args: { url: `${targetOrigin}{{ $prev.args.path }}` } },
    { ...text, args: template },
  ];
  const flows = [];
  for (let i = 0; i < FLOWS; i += 1) flows.push(await make(`Orders ${i}`, ordinary));
  const [flow = ''] = flows;
  const isFalse = { condition: '{{ $prev.args.go ?? false }}' };
  const filters = await make('Filters', [{ ref: 'filter', appId: 'filter', args: isFalse }]);
  const skips = await make('Skips', [], { when: '{{ $prev.args.go ?? false }}' });
  const waits = await make('Waits', [{ ref: 'wait', appId: 'wait-event', args: { name: 'paid' } }]);
  const childArgs = { n: 1, order: ORDER, path: '/echo?n=1' };
  const parent = await make('Parent', [
    { ref: 'child', appId: 'run-flow', args: { flowId: flow, args: childArgs, wait: true } },
  ]);
  const args = { order: ORDER, path: '/echo?n=1' };
  const run = async (/** @type {string} */ of, /** @type {object} */ body = {}) =>
    String((await send('POST', `/api/v1/flows/${of}/run`, { args, ...body })).playId);
  const failing = { args: { ...args, path: '/missing' } };

  const labels = { customer: ORDER, region: 'eu' };
  const later = { delayMs: 2 * DAY_MS };
  const made = {
    done: [await run(flow)],
    keyed: [await run(flow, { idempotencyKey: ORDER })],
    labelled: [await run(flow, { labels })],
    failed: [await run(flow, failing)],
    filtered: [await run(filters)],
    skipped: [await run(skips)],
    'with child': [await run(parent)],
    waiting: [await run(waits)],
    delayed: [await run(flow, later)],
    held: [await run(flow, later)],
    cancelled: [await run(flow, later)],
    retried: [await run(flow, failing)],
  };
  const [retried, held, cancelled] = [made.retried[0], made.held[0], made.cancelled[0]];
  await until(plays, { _id: retried, state: 'FAIL' });
  made.retried.push(String((await send('POST', `/api/v1/plays/${retried}/retry`)).playId));
  await send('POST', `/api/v1/plays/${held}/hold`);
  await send('POST', `/api/v1/plays/${cancelled}/cancel`, { reason: 'a bench' });
  await until(plays, { parentPlayId: made['with child'][0], completedAt: { $exists: true } });
  const child = await plays.findOne({ parentPlayId: made['with child'][0] });
  made['with child'].push(String(child?._id));
  const [open, all] = [['waiting', 'delayed', 'held'], Object.entries(made)];
  for (const [name, ids] of all) {
    for (const _id of ids) await until(plays, { _id, completedAt: { $exists: !open.includes(name) } });
  }
  await until(plays, { _id: made.waiting[0], state: 'WAIT' });

  const kinds = [];
  for (const [name, ids] of all) {
    /** @type {any[]} */
    const found = [];
    for (const _id of ids) found.push(await plays.findOne({ _id: /** @type {never} */ (_id) }));
    // a retry that ends well; the target gives no second answer
    if (name === 'retried') {
      const [first, retry] = found;
      const done = await plays.findOne({ _id: /** @type {never} */ (made.done[0]) });
      found.splice(1, 1, {
        ...done,
        _id: retry?._id,
        chain: retry?.chain,
        trigger: 'retry',
        createdAt: first?.createdAt,
      });
    }
    kinds.push({
      ...{ name, perMillion: PER_MILLION[name] ?? 0, models: modelsOf(found.map(asLastingPlay)) },
      ...{ isOpen: open.includes(name), fails: ['failed', 'retried'].includes(name) },
    });
    // a slot of a schedule takes a minute; its play differs in this
    if (name === 'done') {
      const bySchedule = found.map((play) => asLastingPlay({ ...play, trigger: 'schedule' }));
      kinds.push({ name: 'by schedule', perMillion: PER_MILLION['by schedule'] ?? 0, models: modelsOf(bySchedule) });
    }
  }
  const rest = 1e6 - kinds.reduce((sum, { perMillion }) => sum + perMillion, 0);
  for (const kind of kinds) if (kind.name === 'done') kind.perMillion = rest;
  const first = { id: String(child?.company_id), flows };
  return { kinds, companies: [first, ...(await otherCompanies(send))] };
}

/** With made-up flows: nobody lists them. @param {import('./asker.mjs').Send} send */
async function otherCompanies(send) {
  const companies = [];
  for (let i = 0; i < OTHER_COMPANIES; i += 1) {
    const { id } = await send('POST', '/api/v1/companies', { name: `Neighbour ${i}` });
    const flows = Array.from({ length: 5 }, (_flow, n) => String(id).slice(0, -1) + '0123456789'.charAt(n));
    companies.push({ id: String(id), flows });
  }
  return companies;
}

/** The key is bound for a while only. @param {any} play */
function asLastingPlay({ key: _key, ...play }) {
  return play;
}

/** @param {import('mongoose').mongo.Collection} plays @param {any} filter */
async function until(plays, filter) {
  for (const deadline = Date.now() + WITHIN_MS; Date.now() < deadline;) {
    if (await plays.findOne(filter, { projection: { _id: 1 } })) return;
    await delay(50);
  }
  throw new Error(`no play became ${JSON.stringify(filter)} within ${WITHIN_MS / 1_000} s`);
}
