import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWeftError, parseJson, WaitTimeout, Weft, writeJson, type Change, type PlayFrame } from '@weft/client';
import { scratchFolder, waitFor } from '@weft/testing';
import { Signer } from '@weft/webhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from './harness/compose-file.js';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, one } = await sharedFleet('standalone');
ledger.answerWith(({ body }) => ({
  headers: { 'content-type': 'application/json' },
  body: writeJson({ n: (parseJson(body) as { n: unknown }).n }),
}));
const flow = await twoLayerFlow(admin, ledger.url);
const { token } = await admin.createApiKey({ scope: 'api,admin' });
const { url } = one('standalone');
const weft = new Weft({ url, token });

/** One of the examples, as somebody starts it. */
function example(name: string, args: readonly string[], { input = '', env = {} } = {}) {
  const program = spawn(process.execPath, [join(ROOT, 'libs/client/examples', `${name}.ts`), ...args], {
    env: { ...process.env, WEFT_URL: url, WEFT_TOKEN: token, ...env },
  });
  let said = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (said += String(text)));
  program.stdin.end(input);
  onTestFinished(() => void program.kill());
  return { program, said: () => said, ended: once(program, 'exit').then(([code]) => ({ code: code as number, said })) };
}

describe('the client', () => {
  it('runs a flow, gives its outcome, and follows it frame by frame', async () => {
    const outcome = await weft.runAndWait(flow.id, { args: { n: 7 } }, { timeoutMs: 30_000 });
    expect(outcome).toMatchObject({ state: 'DONE', out: { text: 'Play 7 was answered 7.' }, error: null });
    const frames: PlayFrame[] = [];
    for await (const frame of weft.plays.watch(outcome.playId)) frames.push(frame);
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await weft.plays.events(outcome.playId)).toEqual(frames);
  });

  it('sends and gives integers that a number does not hold with every digit', async () => {
    const exact = new Weft({ url, token, bigIntegers: true });
    const n = 7_615_917_337_495_251_231n;
    const { playId, out } = await exact.runAndWait(flow.id, { args: { n } });
    expect(out).toEqual({ text: `Play ${n} was answered ${n}.` });
    expect((await exact.plays.get(playId)).args).toEqual({ n });
    expect((await exact.plays.output(playId, 'fetch')) as object).toMatchObject({ json: { n } });
    const outs: unknown[] = [];
    for await (const { data } of exact.plays.watch(playId)) if ('output' in data) outs.push(data.output);
    expect(outs).toMatchObject([{ json: { n } }, out]);
  });

  it('says which play goes on when the time to wait is over, and waits for it again', async () => {
    const error: unknown = await weft
      .runAndWait(flow.id, { args: { n: 8 }, delayMs: 1_500 }, { timeoutMs: 50 })
      .catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(WaitTimeout);
    const { playId } = error as WaitTimeout;
    expect(await weft.plays.wait(playId)).toMatchObject({
      playId,
      state: 'DONE',
      out: { text: 'Play 8 was answered 8.' },
    });
  });

  it('runs a batch larger than a request, each run once, in order', async () => {
    const before = (await weft.plays.counts({ flowId: flow.id })).counts;
    const runs = Array.from({ length: 1_003 }, (_one, n) => ({ args: { n }, runAt: '2100-01-01T00:00:00.000Z' }));
    const tooLarge = { args: { text: 'x'.repeat(1_100_000) } };
    const items = await weft.runBatch(flow.id, [...runs, { args: {}, priority: 99 }, tooLarge]);
    expect(items.slice(0, 1_003)).toMatchObject(Array(1_003).fill({ state: 'DEFERRED', replayed: false }));
    expect(items.slice(1_003)).toMatchObject([
      { error: { code: 'invalid_body' } },
      { error: { code: 'body_too_large' } },
    ]);
    const after = (await weft.plays.counts({ flowId: flow.id })).counts;
    expect(after.DEFERRED - before.DEFERRED).toBe(1_003);
    await expect(weft.runBatch(flow.id, [tooLarge])).rejects.toMatchObject({ code: 'body_too_large' });
    const few = await weft.runBatch(flow.id, runs.slice(0, 3));
    expect(few).toMatchObject(Array(3).fill({ state: 'DEFERRED', replayed: false }));
    const ids = new Set<string>();
    for await (const play of weft.plays.list({ flowId: flow.id, state: ['DEFERRED'], size: 200 })) ids.add(play.id);
    expect(ids.size).toBe(after.DEFERRED + 3);
  });

  it('follows the changes of the company from a cursor', async () => {
    const cursor = await weft.changes.now();
    const { playId } = await weft.runAndWait(flow.id, { args: { n: 9 } });
    const seen: Change[] = [];
    for await (const change of weft.changes.follow({ cursor })) {
      seen.push(change);
      if (change.playId === playId && change.type === 'play_complete') break;
    }
    expect(seen.filter((change) => change.playId === playId).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('changes a flow with the version that it means, and says by code what was refused', async () => {
    const made = await weft.flows.create({ name: 'By the client' });
    const changed = await weft.flows.update(made.id, { description: 'new' }, { ifVersion: made.version });
    await expect(weft.flows.update(made.id, { description: 'old' }, { ifVersion: made.version })).rejects.toMatchObject(
      {
        code: 'version_conflict',
        status: 412,
      },
    );
    expect((await weft.flows.get(made.id)).description).toBe(changed.description);
    await weft.flows.delete(made.id);
    const error: unknown = await weft.flows.get(made.id).catch((fault: unknown) => fault);
    expect(isWeftError(error, 'not_found') && error.requestId).toMatch(/./);
    await expect(new Weft({ url, token: 'x.y.z' }).flows.get(flow.id)).rejects.toMatchObject({ status: 401 });
  });
});

describe('the examples', () => {
  it('run, list, watch and follow', async () => {
    const run = await example('run-and-wait', [flow.id, '{"n":1}']).ended;
    expect(run.said).toMatch(/^\w+ DONE \{"text":"Play 1 was answered 1."\}\n$/);
    const playId = run.said.split(' ')[0] ?? '';
    expect((await example('run-and-wait', ['nothing']).ended).said).toBe('there is no such flow\n');
    expect((await example('watch-play', [playId]).ended).said).toMatch(
      /^fetch DONE \d+ ms\ntell DONE \d+ ms\nplay DONE\n$/,
    );
    const batch = await example('run-batch', [flow.id], { input: '{"n":2}\n{"n":3}\n' }).ended;
    expect(batch.said).toMatch(/^(\w+ RUN\n){2}$/);
    expect(await example('list-plays', []).ended).toEqual({ code: 0, said: '' });
  });

  it('follow-changes goes on where it was stopped', async () => {
    const cursor = join(scratchFolder('client'), 'cursor');
    const first = example('follow-changes', [cursor]);
    const { playId } = await weft.runAndWait(flow.id, { args: { n: 4 } });
    await waitFor(() => first.said().includes(`${playId} DONE`), { what: 'the change' });
    await waitFor(() => readFileSync(cursor, 'utf8') !== '', { what: 'the cursor' });
    first.program.kill();
    await first.ended;
    const next = await weft.runAndWait(flow.id, { args: { n: 5 } });
    const second = example('follow-changes', [cursor]);
    await waitFor(() => second.said().includes(`${next.playId} DONE`), { what: 'the next change' });
    second.program.kill();
  });

  it('receive-webhooks takes what is signed, and nothing else', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const receiver = example('receive-webhooks', [], { env: { WEBHOOK_SECRET: secret, PORT: '0' } });
    const port = await waitFor(() => /"port":(\d+)/.exec(receiver.said())?.[1], { what: 'the receiver' });
    const body = JSON.stringify({ type: 'play.done', timestamp: new Date().toISOString(), data: { playId: 'p' } });
    const post = (secrets: readonly string[]) => {
      const timestamp = Math.floor(Date.now() / 1_000);
      const signature = new Signer(secrets).sign({ id: 'w_p_4', timestamp, body: Buffer.from(body) });
      const headers = { 'webhook-id': 'w_p_4', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
      return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    };
    expect((await post([secret])).status).toBe(204);
    expect((await post([secret])).status).toBe(204);
    expect((await post([`whsec_${randomBytes(32).toString('base64')}`])).status).toBe(401);
    await waitFor(() => receiver.said().includes('play.done {"playId":"p"}'), { what: 'the event' });
    expect(receiver.said().match(/play\.done/g)).toHaveLength(1);
  });
});
