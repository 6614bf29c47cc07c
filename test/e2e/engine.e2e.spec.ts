// Workers of its own for one test, of a company with a label: one of them stops.
import type { FlowView, PlayFrame } from '@weft/contracts';
import { socketClient, waitFor, type ApiClient, type LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { neighbourCompany } from './harness/neighbour-company.js';

const fleet = await sharedFleet();
const { admin, ledger, one, add } = fleet;
const SLOW_MS = 20_000;

/** How the ledger answers a call, by its path; everything else is answered at once. */
const answers = new Map<
  string,
  (call: LedgerCall, nth: number) => { status?: number; delayMs?: number } | Promise<object>
>();
ledger.answerWith((call) => answers.get(call.path)?.(call, ledger.callsTo(call.path).length) ?? {});

interface Layer {
  readonly ref: string;
  readonly appId: string;
  readonly args: object;
}

const ask = (ref: string, more: object = {}): Layer => ({
  ...{ ref, appId: 'web-request', args: { url: `${ledger.url}/${ref}` } },
  ...more,
});
const tell = (ref: string, template: string): Layer => ({ ref, appId: 'text-template', args: { template } });
const fixed = (attempts: number, delayMs: number) => ({
  retry: { attempts, backoff: 'fixed', delayMs, maxDelayMs: delayMs },
});

/** A flow of these layers, and one play of it. */
async function begin(layers: readonly Layer[], fields: object = {}, client = admin): Promise<string> {
  return (await client.run(await flowOf(layers, fields, client))).playId;
}

async function flowOf(layers: readonly Layer[], fields: object = {}, client = admin): Promise<string> {
  const document = { schema: 'weft.flow/1', name: 'engine', ...fields, layers };
  const imported = await client.send<FlowView>('POST', '/api/v1/flows/import', { document });
  expect(imported.status).toBe(201);
  const enabled = await client.send('PUT', `/api/v1/flows/${imported.body.id}`, { enabled: true });
  expect(enabled.status).toBe(200);
  return imported.body.id;
}

async function framesOf(playId: string): Promise<readonly PlayFrame[]> {
  const socket = socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });
  await socket.closed;
  return socket.frames;
}

/** The frames of one layer, in order. */
function toldOf(frames: readonly PlayFrame[], ref: string): unknown[] {
  return frames.flatMap(({ type, data }) => {
    if (!('ref' in data) || data.ref !== ref) return [];
    return [type === 'layer_error' ? `error ${'retry_count' in data ? data.retry_count : ''}` : type];
  });
}

/** Resolves when the API, which may know a company as it was a second ago, lets workers with this label alone execute its plays. */
async function labelled(client: ApiClient, label: string): Promise<void> {
  const { company_id: id } = await client.must<{ company_id: string }>(200, 'GET', '/api/v1/auth/me');
  await admin.must(200, 'PATCH', `/api/v1/companies/${id}`, { worker_label: label });
  const queueOf = () => client.must<{ shards: readonly { name: string }[] }>(200, 'GET', '/api/v1/admin/queue');
  await waitFor(async () => (await queueOf()).shards[0]?.name.endsWith(`-${label}`), { what: 'the label at the API' });
}

const command = (playId: string, what: string) => admin.send('POST', `/api/v1/plays/${playId}/${what}`);
const calls = (ref: string) => ledger.callsTo(`/${ref}`);
const firstFails = (n: number) => (_call: LedgerCall, nth: number) => (nth <= n ? { status: 503 } : {});

// The long ones begin at once and are checked at the end: their pauses pass in parallel with the others.
answers.set('/patient', firstFails(1));
const patient = await begin([ask('patient', fixed(2, 4_200)), tell('after', '{{ .patient.statusCode }}')]);
answers.set('/endless', () => ({ delayMs: SLOW_MS }));
const late = await begin([ask('endless')], { settings: { timeoutMs: 1_000 } });

describe('a stage', () => {
  it('runs its layers at the same time, and the next one when all of them have ended', async () => {
    const bothAreThere = () =>
      waitFor(() => calls('left').length + calls('right').length === 2, { what: 'both calls' });
    for (const path of ['/left', '/right']) answers.set(path, () => bothAreThere().then(() => ({})));
    const stage = { stage: 'both' };
    const playId = await begin([
      tell('before', 'go'),
      ask('left', stage),
      ask('right', stage),
      tell('join', '{{ .left.statusCode }} {{ .right.statusCode }}'),
    ]);
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    const layers = await admin.layers(playId);
    expect(layers.map(({ ref, state }) => `${ref} ${state}`)).toEqual([
      'before DONE',
      'left DONE',
      'right DONE',
      'join DONE',
    ]);
    expect(layers[3]?.out).toEqual({ text: '200 200' });
  });

  it('takes an event for one of its layers while another one runs', async () => {
    const isAnswered = async () =>
      (await admin.layers(playId)).some((one) => one.ref === 'waiter' && one.state === 'DONE');
    answers.set('/beside', () => waitFor(isAnswered, { what: 'the event to be taken' }).then(() => ({})));
    const stage = { stage: 'both' };
    const waiter = { ref: 'waiter', appId: 'wait-event', args: { name: 'beside' }, ...stage };
    const playId = await begin([ask('first'), waiter, ask('beside', stage)]);
    const send = () => admin.send<{ matched: number }>('POST', '/api/v1/events', { name: 'beside', payload: 1 });
    await waitFor(async () => (await send()).body.matched === 1, { what: 'the layer to wait' });
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
  });

  it('goes on with a loop of plays while another one of its layers runs', async () => {
    const child = await flowOf([ask('item')]);
    const haveAllRun = () => waitFor(() => calls('item').length === 6, { what: 'the plays of all items' });
    answers.set('/long', () => haveAllRun().then(() => ({})));
    const stage = { stage: 'both' };
    const forEach = { in: '{{ [1, 2, 3, 4, 5, 6] }}', concurrency: 2 };
    const loop = { ref: 'loop', appId: 'run-flow', args: { flowId: child }, forEach, ...stage };
    const playId = await begin([loop, ask('long', stage)]);
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect(calls('item')).toHaveLength(6);
  });

  it('lets the others end when one fails, and starts nothing behind it', async () => {
    answers.set('/fails', () => ({ status: 500 }));
    answers.set('/ends', () => ({ delayMs: 300 }));
    const stage = { stage: 'both' };
    const playId = await begin([ask('fails', stage), ask('ends', stage), ask('never')]);
    expect(await admin.waitForPlay(playId)).toMatchObject({
      state: 'FAIL',
      error: { code: 'bad_status', ref: 'fails' },
    });
    expect((await admin.layers(playId)).map(({ state }) => state)).toEqual(['FAIL', 'DONE', 'NEW']);
    expect(calls('never')).toEqual([]);
  });
});

describe('a layer with retry', () => {
  it('is called again after each failure, with the same key, and tells of each', async () => {
    answers.set('/again', firstFails(2));
    const playId = await begin([ask('again', fixed(3, 60)), tell('after', 'x')]);
    const frames = await framesOf(playId);
    expect(toldOf(frames, 'again')).toEqual(['layer_start', 'error 0', 'error 1', 'layer_complete']);
    const [again] = await admin.layers(playId);
    expect(again).toMatchObject({ state: 'DONE', attempts: 3, error: null });
    expect(calls('again').map((call) => call.idempotencyKey)).toEqual(Array(3).fill(`${playId}.0`));
  });

  it('fails the play with the last failure when no attempt is left', async () => {
    answers.set('/broken', () => ({ status: 500 }));
    const playId = await begin([ask('broken', fixed(2, 20))]);
    expect(toldOf(await framesOf(playId), 'broken')).toEqual(['layer_start', 'error 0', 'error 1', 'layer_complete']);
    expect((await admin.play(playId)).error).toMatchObject({ code: 'bad_status', ref: 'broken' });
    expect((await admin.layers(playId))[0]).toMatchObject({ state: 'FAIL', attempts: 2 });
    expect(calls('broken')).toHaveLength(2);
  });

  it('stops under a hold between two attempts, and makes the rest of them after the release', async () => {
    answers.set('/held', firstFails(1));
    const playId = await begin([ask('held', fixed(3, 1_500))]);
    await waitFor(() => calls('held').length === 1, { what: 'the first call' });
    expect((await command(playId, 'hold')).status).toBe(200);
    expect((await command(playId, 'release')).status).toBe(200);
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect(calls('held')).toHaveLength(2);
    expect((await admin.layers(playId))[0]).toMatchObject({ state: 'DONE', attempts: 2 });
  });

  it('is handed to another worker between two attempts when its own stops, which counts what was made', async () => {
    const client = await neighbourCompany(fleet);
    const ownWorker = () => add('worker', { env: { WORKER_LABEL: 'moved' } });
    const [first] = await Promise.all([ownWorker(), labelled(client, 'moved')]);
    answers.set('/moved', firstFails(2));
    // longer than a worker takes to start on a busy machine
    const playId = await begin([ask('moved', fixed(3, 5_000))], {}, client);
    await waitFor(() => calls('moved').length === 1, { what: 'the first call' });
    const onRecord = async () => (await client.layers(playId))[0]?.attempts === 2;
    await Promise.all([ownWorker(), waitFor(onRecord, { what: 'the failure on record' })]);
    await first.stop();
    expect(await client.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect(calls('moved')).toHaveLength(3);
    expect((await client.layers(playId))[0]).toMatchObject({ attempts: 3 });
  });
});

describe('conditions', () => {
  it('leave out what they rule out, without a start and without a call', async () => {
    const frames = await framesOf(
      await begin([
        tell('before', 'x'),
        ask('unwanted', { when: '{{ $prev.args.wanted ?? false }}' }),
        tell('after', 'y'),
        { ref: 'enough', appId: 'filter', args: { condition: '{{ $prev.args.more ?? false }}' } },
        ask('filtered'),
      ]),
    );
    const [unwanted, enough, filtered] = ['unwanted', 'enough', 'filtered'].map((ref) => toldOf(frames, ref));
    expect([unwanted, filtered]).toEqual([['layer_complete'], ['layer_complete']]);
    expect(enough).toEqual(['layer_complete']);
    const ends = frames.flatMap(({ data }) =>
      'status' in data && 'output' in data ? [`${data.ref} ${data.status}`] : [],
    );
    expect(ends).toEqual(['before DONE', 'unwanted FILTERED', 'after DONE', 'enough FILTERED', 'filtered FILTERED']);
    expect(calls('unwanted').length + calls('filtered').length).toBe(0);
    expect(frames.at(-1)?.data).toMatchObject({ final_status: 'DONE' });
  });
});

describe('a play of 200 layers', () => {
  it('is DONE with each layer once, in order', async () => {
    const refs = Array.from({ length: 200 }, (_, i) => `l${i}`);
    const playId = await begin(refs.map((ref, i) => tell(ref, i === 0 ? '0' : `{{ .l${i - 1}.text }}`)));
    const frames = await framesOf(playId);
    const order = (type: string) =>
      frames.flatMap((one) => (one.type === type && 'ref' in one.data ? [one.data.ref] : []));
    expect(order('layer_start')).toEqual(refs);
    expect(order('layer_complete')).toEqual(refs);
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, i) => i + 1));
    expect((await admin.layers(playId)).at(-1)).toMatchObject({ state: 'DONE', out: { text: '0' } });
  });
});

describe('a play that takes its time', () => {
  it('gives its slot away for a long pause, and goes on by itself', async () => {
    const frames = await framesOf(patient);
    const moves = frames.flatMap((frame) => (frame.type === 'play_state_change' ? [frame.data.new_status] : []));
    expect(moves).toEqual(['RUN', 'DEFERRED', 'RUN', 'DONE']);
    expect(toldOf(frames, 'patient')).toEqual(['layer_start', 'error 0', 'layer_complete']);
    expect(calls('patient')).toHaveLength(2);
    expect(await admin.play(patient)).toMatchObject({ state: 'DONE', dueAt: null });
  });

  it('FAILs when its time is over, however long its call would last', async () => {
    expect(await admin.waitForPlay(late)).toMatchObject({ state: 'FAIL', error: { code: 'play_timeout' } });
    const took = (await admin.play(late)).duration ?? SLOW_MS;
    expect(took).toBeLessThan(SLOW_MS / 2);
    expect(calls('endless')).toHaveLength(1);
  });
});
