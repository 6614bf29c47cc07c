// @ts-check
/**
 * What the history costs: a play among 1,000, 100,000 and 1,000,000 stored ones, and the pages that people look at.
 */
import { request } from 'undici';
import { percentiles } from '../load/tally.mjs';
import { assertAlive } from '../machine/processes.mjs';
import { drain } from './outcome.mjs';
import { openProductStage } from './product-stage.mjs';
import { addPlays } from './stored-plays.mjs';

const SIZES = [1_000, 100_000, 1_000_000];
const DAY_MS = 86_400_000;
const QUESTIONS = 40;
const LISTS = {
  'first page': '/api/v1/plays?size=50',
  failed: '/api/v1/plays?state=FAIL&size=50',
  'one flow': '/api/v1/plays?flowId={flowId}&size=50',
  counts: '/api/v1/plays/counts',
  flows: '/api/v1/flows?size=50',
};

/** @param {import('./leg.mjs').Bench} bench @returns {Promise<string>} a report to print */
export async function measureGrowth(bench) {
  const { options } = bench;
  const stage = await openProductStage(bench, 'growth', { env: { RETENTION_CLEANUP_INTERVAL: '1d' } });
  const plays = stage.db.collection('plays');
  try {
    await stage.running.startWorker();
    const warm = await stage.closedLoop(options.outstanding, options.warmup);
    let accepted = warm.load.accepted;
    const settle = () => drain(plays, stage.target, accepted, () => assertAlive(stage.running.processes));
    await settle();
    /** @type {string[]} */
    const rows = [];
    let first = 0;
    for (const size of SIZES) {
      const stored = await plays.estimatedDocumentCount();
      await addPlays(stage.db, Math.max(0, size - stored), 7 * DAY_MS);
      const { completed, oursUs, perSecond, load } = await stage.closedLoop(options.outstanding);
      accepted += load.accepted;
      await settle();
      const cost = oursUs / completed;
      first ||= cost;
      const lists = [];
      for (const [name, path] of Object.entries(LISTS)) lists.push(`${name} ${await p95(stage.running.request, path)}`);
      const ratio = (cost / first).toFixed(2);
      rows.push(
        `growth · ${size.toLocaleString('en')} plays: ${Math.round(cost)} µs/play (${ratio} ×), ${Math.round(perSecond)} plays/s; p95 in ms: ${lists.join(', ')}`,
      );
    }
    return rows.join('\n');
  } finally {
    await stage.close();
  }
}

/** @param {{ origin: string, path: string, headers: Record<string, string> }} run @param {string} path */
async function p95({ origin, path: runPath, headers }, path) {
  const url = origin + path.replace('{flowId}', runPath.split('/').at(-2) ?? '');
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < QUESTIONS; i += 1) {
    const from = performance.now();
    const { statusCode, body } = await request(url, { headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}: ${text.slice(0, 300)}`);
    times.push(performance.now() - from);
  }
  return (percentiles(times)?.p95 ?? 0).toFixed(1);
}
