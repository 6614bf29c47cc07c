import type { ApiClient, LedgerAnswer, LedgerCall, LedgerServer } from '@weft/testing';
import { spread } from './effect-flow.js';

/** What a play of the flow goes through. */
export const ITEMS = 12;
export const PAGES = 6;
export const ROWS = 3;
export const ROUNDS = 4;
export const CHILDREN = 6;
/** Runs that have the same lane, by their number. */
export const LANES = 3;
export const laneOf = (n: number): string => `lane ${n % LANES}`;

/** Items that the peer refuses for good, whatever is tried. */
export const isBadItem = (i: number): boolean => i % 5 === 3;
export const isBadChild = (i: number): boolean => i % 4 === 2;

const RETRY = { attempts: 8, backoff: 'fixed', delayMs: 200, maxDelayMs: 1_000 };

/**
 * A loop that collects failures, an answer in pages and a loop over its rows, rounds until a job is done, and a loop of plays of
 * another flow, some of which fail.
 *
 * @returns the id of the flow
 */
export async function seriesFlow(client: ApiClient, ledgerUrl: string): Promise<string> {
  const child = await client.createFlow({ name: 'A child' });
  await client.addLayer(child.id, {
    ref: 'call',
    appId: 'web-request',
    args: post(ledgerUrl, 'child', { n: '{{ $prev.args.n }}', i: '{{ $prev.args.i }}' }),
    retry: RETRY,
  });
  const flow = await client.createFlow({ name: 'Series' });
  const n = '{{ $prev.args.n }}';
  const add = (layer: Parameters<ApiClient['addLayer']>[1]): Promise<unknown> => client.addLayer(flow.id, layer);
  await add({
    ref: 'items',
    appId: 'web-request',
    args: post(ledgerUrl, 'item', { n, i: '{{ $item }}' }),
    forEach: { in: `{{ [0..${ITEMS - 1}] }}`, concurrency: 3, onItemError: 'collect' },
    retry: RETRY,
  });
  await add({
    ref: 'pages',
    appId: 'web-request',
    args: {
      url: `${ledgerUrl}/page`,
      query: { n },
      paginate: { cursor: { from: '{{ $page.json.next }}', param: 'i' } },
    },
    retry: RETRY,
  });
  await add({
    ref: 'rows',
    appId: 'web-request',
    args: post(ledgerUrl, 'row', { n, i: '{{ $item }}' }),
    forEach: { in: '{{ [.pages.pages.json.rows] }}', concurrency: 4 },
    retry: RETRY,
  });
  await add({
    ref: 'rounds',
    appId: 'web-request',
    args: post(ledgerUrl, 'round', { n, i: '{{ $repeat.index }}' }),
    repeat: { until: `{{ $repeat.index = ${ROUNDS - 1} }}`, max: ROUNDS + 1 },
    retry: RETRY,
  });
  await add({
    ref: 'children',
    appId: 'run-flow',
    args: { flowId: child.id, args: { n, i: '{{ $item }}' } },
    forEach: { in: `{{ [0..${CHILDREN - 1}] }}`, concurrency: 3, onItemError: 'collect' },
  });
  return flow.id;
}

/** One call: the plays of a lane make theirs one after the other. @returns the id of the flow */
export async function laneFlow(client: ApiClient, ledgerUrl: string): Promise<string> {
  const { id } = await client.createFlow({ name: 'In lanes' });
  const args = post(ledgerUrl, 'turn', { n: '{{ $prev.args.n }}' });
  await client.addLayer(id, { ref: 'turn', appId: 'web-request', args, retry: RETRY });
  return id;
}

function post(ledgerUrl: string, path: string, body: object): Readonly<Record<string, unknown>> {
  return { method: 'POST', url: `${ledgerUrl}/${path}`, body };
}

/** What a call is about: of which run, and which item, page, row, round or child. */
export interface SeriesCall {
  readonly what: string;
  readonly n: number;
  readonly i: number;
}

export function readCall({ path, body }: LedgerCall): SeriesCall {
  const { pathname, searchParams } = new URL(path, 'http://peer');
  const read = body === '' ? Object.fromEntries(searchParams) : (JSON.parse(body) as Record<string, unknown>);
  return { what: pathname.slice(1), n: Number(read.n), i: Number(read.i ?? 0) };
}

/** Answers slowly; fails now and then for the moment, hangs up now and then, and refuses bad items for good. */
export function answerSeries(ledger: LedgerServer): void {
  let nth = 0;
  ledger.answerWith((call): LedgerAnswer => {
    nth += 1;
    const { what, i } = readCall(call);
    const delayMs = spread(nth, 120);
    if (nth % 23 === 0) return { hangUp: true, delayMs };
    if (nth % 17 === 0) return { status: 503, delayMs };
    if ((what === 'item' && isBadItem(i)) || (what === 'child' && isBadChild(i))) {
      return { status: 422, body: { refused: i }, delayMs };
    }
    if (what !== 'page') return { body: { done: i }, delayMs };
    const rows = Array.from({ length: ROWS }, (_, row) => i * ROWS + row);
    return { body: { rows, next: i + 1 < PAGES ? i + 1 : null }, delayMs };
  });
}
