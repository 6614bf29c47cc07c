// Runs a flow once for each line of the input, which is JSON. Run: node run-batch.ts <flow id> < orders.ndjson
import { text } from 'node:stream/consumers';
import { Weft } from '@weft/client';

const [flowId = ''] = process.argv.slice(2);
const weft = new Weft({ url: process.env.WEFT_URL, token: process.env.WEFT_TOKEN });

const lines = (await text(process.stdin)).split('\n').filter((line) => line !== '');
// A key of your own, here that of the line's content: the whole batch can be sent again, and runs nothing twice.
const runs = lines.map((line) => ({ args: JSON.parse(line) as Record<string, unknown>, idempotencyKey: line }));
const items = await weft.runBatch(flowId, runs);
for (const item of items) console.log('error' in item ? item.error.detail : `${item.playId} ${item.state}`);
