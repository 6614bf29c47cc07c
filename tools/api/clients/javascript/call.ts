// Calls Weft by the client that @hey-api/openapi-ts has made of its description: tools/api/check-clients.mjs.
import assert from 'node:assert/strict';
import { createClient, createConfig } from './weft/client/index.ts';
import {
  flowsCreate,
  flowsList,
  flowsRead,
  hooksDeliver,
  payloadsDownload,
  payloadsUpload,
  playsList,
  playsReadLayers,
  runRun,
  triggersCreate,
  triggersList,
} from './weft/sdk.gen.ts';

const { WEFT_URL: baseUrl = '', WEFT_TOKEN: auth = '' } = process.env;
const client = createClient(createConfig({ baseUrl, auth, throwOnError: true }));
const thrown = { client, throwOnError: true } as const;
const out = { text: 'Hello JavaScript!' };

// a flow, found in a list that is read page by page
const layers = [{ ref: 'greet', appId: 'text-template', args: { template: 'Hello {{ $prev.args.name }}!' } }];
const made: string[] = [];
for (const n of [0, 1, 2]) {
  const { data } = await flowsCreate({ ...thrown, body: { name: `javascript ${n}`, category: 'javascript', layers } });
  made.push(data.id);
}
const found: string[] = [];
for (let cursor: string | undefined; ;) {
  const { data } = await flowsList({ ...thrown, query: { category: 'javascript', size: 2, cursor } });
  found.push(...data.items.map(({ id }) => id));
  if (data.nextCursor === null) break;
  cursor = data.nextCursor;
}
assert.deepEqual(found, made.toReversed());
const id = made[0] as string;
const { data: flow } = await flowsRead({ ...thrown, path: { id } });
assert.equal(flow.layers?.[0]?.ref, 'greet');

// a run, and the same run again
const run = {
  ...{ ...thrown, path: { id }, headers: { 'Idempotency-Key': 'javascript-1' } },
  body: { args: { name: 'JavaScript' }, wait: 20_000 },
};
const { data: ended } = await runRun(run);
assert.ok('out' in ended);
assert.deepEqual(ended.out, out);
const again = await runRun(run);
assert.equal(again.data.playId, ended.playId);
assert.equal(again.response.headers.get('idempotency-replayed'), 'true');

// the list of plays, and of the layers of one
const { data: done } = await playsList({ ...thrown, query: { flowId: id, state: ['DONE', 'FAIL'] } });
assert.deepEqual([done.items.map((play) => play.id), done.total], [[ended.playId], 1]);
const { data: played } = await playsReadLayers({ ...thrown, path: { id: ended.playId } });
assert.deepEqual(played[0]?.out, out);

// a trigger, and a delivery to its address
const verifier = { type: 'token', header: 'x-shop', token: 'token-of-the-shop' } as const;
const { data: trigger } = await triggersCreate({ ...thrown, path: { flowId: id }, body: { name: 'shop', verifier } });
const { data: triggers } = await triggersList({ ...thrown, path: { flowId: id } });
assert.deepEqual(
  triggers.items.map((each) => each.id),
  [trigger.id],
);
const address = { client, path: { token: trigger.url?.split('/').at(-1) as string } };
const order = new Blob(['{"order":1}']);
const { data: taken } = await hooksDeliver({ ...address, headers: { 'x-shop': verifier.token }, body: order });
assert.ok(taken !== null && typeof taken === 'object' && 'playId' in taken);
const { error: unverified } = await hooksDeliver({ ...address, throwOnError: false });
assert.equal(unverified?.code, 'unauthenticated');

// a file, there and back
const content = Uint8Array.from({ length: 256 }, (_, n) => n);
const { data: upload } = await payloadsUpload({ ...thrown, body: new Blob([content]), query: { filename: 'all.bin' } });
assert.equal(upload.bytes, 256);
const { data: file } = await payloadsDownload({ ...thrown, path: { id: upload.$ref.split('/').at(-1) as string } });
assert.deepEqual(new Uint8Array(await file.arrayBuffer()), content);

// refusals
const missing = await runRun({ client, throwOnError: false, path: { id: 'nothing' } });
assert.deepEqual([missing.error?.status, missing.error?.code], [404, 'not_found']);
const stranger = await flowsList({ client, throwOnError: false, auth: 'not-a-token' });
assert.equal(stranger.error?.code, 'token_invalid');
