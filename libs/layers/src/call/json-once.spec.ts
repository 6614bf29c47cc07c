import { outOf, type LayerResult } from '@weft/engine';
import { evaluate } from '@weft/expressions';
import { bsonBytes } from '@weft/kernel';
import { aLayer, aPlay, aVersion } from '@weft/testing';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { outputText } from '../stored/output-text.js';
import { faceOf } from '../modules/operation/shop.fixture.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { prepareCall, scopeOf, UnloadedOutput, type LayerCall } from './layer-call.js';
import { prepareVersion } from './prepared-version.js';
import { peerWith, resultOf, type Peer } from '../loops/series.fixture.js';
import { StoredReads, withStoredReads } from './stored-reads.js';

const URL_OF = 'https://api.example.com/orders';
const records = (count: number) => ({ records: Array.from({ length: count }, (_, id) => ({ id, name: `Ä ${id}` })) });
const SMALL = JSON.stringify(records(100), null, 1);
const LARGE = `\ufeff${JSON.stringify(records(6_000))}`;

async function answered(body: string, more: Partial<Peer> = {}) {
  const peer = peerWith({
    ...{ layer: { args: { url: URL_OF } }, maxOutputBytes: 10_000_000, answer: () => ({ body }) },
    ...more,
  });
  const end = await peer.run();
  return { peer, end, result: resultOf(end) };
}

/** Of the whole output as JSON, however it is stored. */
const bytesOf = (out: unknown) => Buffer.byteLength(JSON.stringify(out));

/** What a later layer reads, in another hand-out of the play. */
async function readBy(template: string, { peer, result }: Awaited<ReturnType<typeof answered>>): Promise<unknown> {
  const version = aVersion([aLayer('a'), aLayer('b', { appId: 'text-template', args: { template } })], {});
  const out = result.outRef ? new UnloadedOutput(result.outRef) : outOf(result);
  const call: LayerCall = {
    ...{ play: aPlay({ companyId: 'c' }), prepared: prepareVersion(version, 'Acme'), position: 1, attempt: 1 },
    ...{
      wait: null,
      answer: null,
      outputs: new Map([['a', out]]),
      errors: new Map(),
      inlineBudget: new InlineBudget(),
    },
    ...{ signal: new AbortController().signal, by: 'me' },
  };
  const { work, leave } = await withStoredReads(prepareCall(call), new StoredReads(peer.payloads));
  const value = evaluate(work.layer.args, scopeOf(work.call)) as { readonly template: unknown };
  leave();
  return value.template;
}

describe('a JSON answer that is stored once', () => {
  it('is in the play as its text alone, and is read as before', async () => {
    const once = await answered(SMALL);
    expect(once.result).toMatchObject({ jsonFrom: 'body', out: { body: SMALL } });
    expect(once.result.outBytes).toBe(bytesOf(once.end.out));
    expect(once.result.out).not.toHaveProperty('json');
    expect(bsonBytes(once.result.out)).toBeLessThan(bsonBytes(once.end.out) * 0.6);
    expect(outOf(once.result)).toEqual(once.end.out);
    // what the next layer reads now is what it would read after a crash, also as a text
    expect(JSON.stringify(once.end.out)).toBe(JSON.stringify(outOf(structuredClone(once.result))));
    expect(await readBy('{{ .a.json.records[99].name }} {{ .a.statusCode }}', once)).toBe('Ä 99 200');
    expect(await readBy('{{ .a }}', once)).toEqual(once.end.out);
  });

  it.each([
    [JSON.stringify(records(1_500)), 'which a later layer reads as a whole'],
    [LARGE, 'of which a later layer reads parts'],
  ])('is in the payload store as it came (%#), %s', async (body) => {
    const once = await answered(body);
    const { outRef, outBytes, out } = once.result;
    expect(out).toBeNull();
    expect(outRef?.bytes).toBe(outBytes);
    expect(outBytes).toBe(bytesOf(once.end.out));
    const ref = outRef?.$ref ?? '';
    expect(once.peer.payloads.bytes.get(ref)?.toString()).toBe(body);
    expect(once.peer.payloads.forms.get(ref)).toMatchObject({
      content: { body: 'text', json: 'json' },
      bytes: outBytes,
    });
    const text = await buffer(Readable.from(outputText(() => once.peer.payloads.open('c', outRef!))));
    expect(JSON.parse(text.toString())).toEqual(once.end.out);
    expect(await readBy('{{ .a.json.records[7].name }} {{ .a.statusCode }}', once)).toBe('Ä 7 200');
    expect(await readBy('{{ .a.body }}', once)).toBe(body);
  });

  it('is kept in each item of a loop, with those that are no JSON and those that failed', async () => {
    const forEach = { in: '{{ $prev.args.n }}', concurrency: 1, onItemError: 'collect' as const };
    const answer = (_: unknown, nth: number) =>
      [
        { body: { n: nth } },
        { body: '<p>', headers: { 'content-type': 'text/html' } },
        { statusCode: 404, body: { no: 1 } },
        { body: 'null' },
      ][nth] ?? {};
    const peer = { layer: { args: { url: URL_OF }, forEach }, play: { args: { n: [0, 1, 2, 3] } }, answer };
    const once = await answered('', peer);
    expect(once.result.jsonFrom).toBe('body');
    const [first, second] = once.result.out as { out: object }[];
    expect(first?.out).not.toHaveProperty('json');
    expect(second?.out).toHaveProperty('json', null);
    expect(outOf(once.result)).toMatchObject([
      { ok: true, out: { json: { n: 0 } } },
      { ok: true, out: { json: null, body: '<p>' } },
      { ok: false },
      { ok: true, out: { json: null, body: 'null' } },
    ]);
    expect(JSON.stringify(outOf(once.result))).toBe(JSON.stringify(once.end.out));
  });

  it('is kept of a refused answer, and takes and gives back the space that it needs', async () => {
    const refused = await answered('', { answer: () => ({ statusCode: 422, body: { why: 'x'.repeat(900) } }) });
    expect(refused.result).toMatchObject({ state: 'FAIL', jsonFrom: 'body' });
    expect(outOf(refused.result)).toMatchObject({ statusCode: 422, json: { why: 'x'.repeat(900) } });
    const budget = new InlineBudget();
    const { peer } = await answered(SMALL);
    const before = roomIn(budget);
    const { outcome } = await peer.run({ inlineBudget: budget });
    const result = (outcome as { result: LayerResult }).result;
    expect(before - roomIn(budget)).toBe(bsonBytes(result.out));
    budget.release(result.out);
    expect(roomIn(budget)).toBe(before);
  });

  it('is in the play as part of the text of an output of operation, whatever fields it has', async () => {
    const body = '{"id":7615917337495251231,"$a":{"b.c":[-1.5e3,null]},"list":[{"n":1}]}';
    const face = faceOf('createOrder');
    const args = { api: 'shop', operation: 'createOrder', input: { body: { id: 1 } } };
    const faces = new Map([['shop/createOrder', face]]);
    const once = await answered(body, { layer: { appId: 'operation', args }, faces });
    expect(once.result).toMatchObject({ state: 'DONE', jsonFrom: 'text', out: { text: expect.any(String) as string } });
    expect(once.result.outBytes).toBe(bytesOf(once.end.out));
    expect(outOf(once.result)).toEqual(once.end.out);
    expect(outOf(once.result)).toMatchObject({ body: { id: 7615917337495251231n } });
    expect(await readBy('{{ .a.body.list[0].n }} {{ .a.body.id }}', once)).toBe('1 7615917337495251231');
  });

  it('is stored twice where it must be: an answer that is no JSON, pages, and other modules', async () => {
    const html = await answered('', { answer: () => ({ body: '<p>', headers: { 'content-type': 'text/html' } }) });
    expect(html.result).not.toHaveProperty('jsonFrom');
    const paginate = { next: '{{ $page.json.next }}' };
    const pages = await answered('{"a":1}', { layer: { args: { url: URL_OF, paginate } } });
    expect(pages.result).toMatchObject({ out: { pages: [{ json: { a: 1 } }] } });
    expect(pages.result).not.toHaveProperty('jsonFrom');
    const args = { expression: '{"body": "{}", "json": {}}' };
    const other = await answered('', { layer: { appId: 'transform', args } });
    expect(other.result).not.toHaveProperty('jsonFrom');
  });
});

function roomIn(budget: InlineBudget): number {
  return (budget as unknown as { left: number }).left;
}
