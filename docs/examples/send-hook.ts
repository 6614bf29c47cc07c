// Sends a delivery to a trigger whose verifier is `standard`, until it is taken: every attempt has the same id, so that one
// play is made of it, however many answers get lost.
//
//   HOOK_SECRET=whsec_… node send-hook.ts <url of the trigger> '{"order":1}'
//
// It needs Node from 22.18 on, and nothing else.
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const [url = '', body = '{}'] = process.argv.slice(2);
const key = Buffer.from((process.env.HOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
const id = `msg_${randomUUID()}`;
const PAUSES_MS = [0, 1_000, 5_000, 30_000];

for (const pauseMs of PAUSES_MS) {
  await pause(pauseMs);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await fetch(url, { method: 'POST', headers, body }).catch((error: Error) => error);
  const isTaken = answer instanceof Response && answer.ok;
  console.log(isTaken ? await answer.text() : `not taken: ${answer instanceof Error ? answer.message : answer.status}`);
  const isFinal = answer instanceof Response && answer.status < 500 && answer.status !== 429;
  if (isFinal) process.exit(isTaken ? 0 : 1);
}
process.exit(1);
