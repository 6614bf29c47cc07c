import type { FlowVersion, LayerResult, Play } from '@weft/engine';
import { createEgressClient } from '@weft/egress';
import { NO_REQUEST } from '@weft/openapi';
import { aLayer, aPlay, aVersion, modelProvider, sandbox, type ScriptedCall } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import type { Face } from '../face.js';
import { decide, endPlays, newWorld, runOnce, type StepsWorld } from '../loops/steps.fixture.js';
import { agent } from '../modules/agent/agent.layer.js';
import { dryRun, type DryRun } from './dry-run.js';
import { rehearsePlay, type PlayRehearsal } from './rehearse-play.js';

const provider = await modelProvider();
const http = createEgressClient({ allow: [{ cidr: '127.0.0.1/32', port: null }] });
afterAll(() => Promise.all([provider.close(), http.close()]));

const OPEN_TASK: Face = {
  ...{ title: 'Open a task', description: 'Opens a task.', digest: 'd', outSchema: {}, plan: NO_REQUEST },
  argsSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  ...{ linkKinds: [], warnings: [], baseUrl: null },
};
const faces = new Map<string, Face>([['flow:open-task', OPEN_TASK]]);
const ARGS = {
  ...{ integrationId: 'model', model: 'm', instructions: 'Help.', input: 'What is open?' },
  tools: [{ kind: 'flow', flowId: 'open-task', name: 'task', approve: '{{ $call.args.title = "pay" }}' }],
};
const task = (title: string): ScriptedCall => ({ name: 'task', arguments: { title } });

/** What a worker stored of an agent with these arguments, whose model says this. */
async function recorded(answers: Parameters<typeof provider.answerWith>[0], args: object = {}): Promise<StepsWorld> {
  provider.answerWith(answers);
  const world = newWorld();
  for (let turn = 0; turn < 20; turn += 1) {
    const { ended } = await runOnce(world, agent, {
      ...{ args: { ...ARGS, ...args }, faces },
      services: () => ({
        http: { close: async () => undefined, request: (asked) => http.request(asked) },
        integrations: { connection: async () => ({ type: 'openai', endpoint: provider.url, secret: 'key' }) },
      }),
    });
    if (ended !== 'died' && 'out' in ended) return world;
    if (ended !== 'died' && 'wait' in ended && ended.wait.kind === 'approval') decide(world, 'approve');
    else endPlays(world);
  }
  throw new Error('it does not end');
}

interface Entry extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly digest: string;
}

function entriesOf({ stored }: StepsWorld): Entry[] {
  const lines = JSON.parse(stored.doneItems?.text ?? '[]') as [number, string, object][];
  return lines.map(([, digest, out]) => ({ ...out, digest }) as Entry);
}

const versionOf = (args: object = {}): FlowVersion =>
  aVersion([aLayer('agent', { appId: 'agent', args: { ...ARGS, ...args } })]);

function rehearse(fixture: unknown, args: object = {}): Promise<DryRun> {
  const now = new Date('2026-01-01T00:00:00Z');
  const given = { companyName: 'Acme', args: {}, fixtures: { agent: fixture }, faces, now, sandbox };
  return dryRun({ version: versionOf(args), ...given });
}

const TWO_TASKS = [{ calls: [task('look'), task('pay')] }, { text: 'Done.' }];

describe('the fixture of an agent', () => {
  it('is what a play recorded, step by step, with nobody called', async () => {
    const replay = entriesOf(await recorded(TWO_TASKS));
    expect(replay.map(({ kind }) => kind)).toEqual(['model', 'approval', 'child', 'child', 'model']);
    const before = provider.requests.length;
    const run = await rehearse({ replay });
    expect(run).toMatchObject({ state: 'DONE', missingFixtures: [] });
    expect(run.layers[0]?.out).toMatchObject({ text: 'Done.', stop: 'end', usage: { tokensIn: 20, calls: 2 } });
    expect(provider.requests).toHaveLength(before);
  });

  it('is written by hand, in the order of the steps', async () => {
    const replay = [
      { kind: 'model', calls: [{ name: 'task', arguments: { title: 'pay' } }] },
      { kind: 'approval', tool: 'task', decision: 'reject', comment: 'no' },
      { kind: 'model', text: 'Not paid.' },
    ];
    expect((await rehearse({ replay })).layers[0]?.out).toMatchObject({
      text: 'Not paid.',
      steps: [{ kind: 'model' }, { kind: 'approval', ok: false }, { kind: 'model' }],
    });
    expect(await rehearse({ replay }, { onReject: 'fail' })).toMatchObject({
      error: { code: 'rejected', message: 'step 1: the call of task was rejected: no' },
    });
  });

  it('reads parts of a large result, which touches nothing', async () => {
    const rows = Array.from({ length: 900 }, (_, n) => ({ n, name: 'a long name' }));
    const replay = [
      { kind: 'model', calls: [{ name: 'task', arguments: { title: 'a' } }] },
      { kind: 'child', tool: 'task', result: { rows } },
      { kind: 'model', calls: [{ name: 'read_result', arguments: { ref: 'result-1', jsonpath: '$.rows[7].n' } }] },
      { kind: 'model', text: 'Seven.' },
    ];
    const run = await rehearse({ replay });
    expect(run).toMatchObject({ state: 'DONE', missingFixtures: [] });
    expect(run.layers[0]?.out).toMatchObject({ text: 'Seven.', usage: { calls: 2 } });
  });

  it('names the call that was not recorded', async () => {
    const replay = entriesOf(await recorded(TWO_TASKS));
    const without = (kind: string) => replay.filter((entry) => entry.kind !== kind);
    expect((await rehearse({ replay: without('child') })).missingFixtures).toEqual(['agent.task']);
    expect((await rehearse({ replay: replay.slice(0, -1) })).missingFixtures).toEqual(['agent.model']);
    // what was asked then is not what is asked now
    expect(await rehearse({ replay }, { instructions: 'Help fast.' })).toMatchObject({
      missingFixtures: ['agent.model'],
      layers: [{ ref: 'agent', state: 'SKIP' }],
    });
    const anyhow = replay.map(({ digest: _digest, ...entry }) => entry);
    expect((await rehearse({ replay: anyhow }, { instructions: 'Help fast.' })).state).toBe('DONE');
  });

  it('says where it cannot be read', async () => {
    expect((await rehearse({ replay: [{ kind: 'model', calls: [{}] }] })).error).toMatchObject({
      code: 'invalid_args',
      message: expect.stringMatching(/^the fixture of "agent": replay\.0\.calls\.0\.name: /) as string,
    });
    expect((await rehearse({ text: 'Whole.' })).layers[0]?.out).toEqual({ text: 'Whole.' });
  });
});

async function rehearsal(world: StepsWorld, after: object, before: object = {}): Promise<PlayRehearsal> {
  const version = versionOf(before);
  const at = new Date('2026-01-01T00:00:00Z');
  const times = { startedAt: at, completedAt: at };
  const result: LayerResult = {
    ...{ position: 0, ref: 'agent', name: 'agent', state: 'DONE', ...times },
    ...{ out: { text: 'Done.' }, outBytes: 9, attempts: 1, by: 'spec' },
  };
  const play: Play = {
    ...aPlay({ playId: 'old', companyId: 'c', args: {}, serverNow: at }),
    ...{ state: 'DONE', layers: [result], ...(world.stored.doneItems && { doneItems: { 0: world.stored.doneItems } }) },
  };
  return rehearsePlay({
    ...{ version: versionOf(after), recorded: { play, version }, companyName: 'Acme', playUrl: () => 'link' },
    ...{ faces: { version: faces, recorded: faces }, open: async () => null, maxBytes: 1_000_000, sandbox },
    signal: new AbortController().signal,
  });
}

/** The first step that asks something else: what it asked, and what it asks. */
function firstOther({ calls, recordedCalls, unknownSteps }: PlayRehearsal): unknown {
  const [before = [], after = []] = [recordedCalls.get('agent'), calls.get('agent')];
  const at = before.findIndex(({ digest }, i) => digest !== after[i]?.digest);
  expect([...unknownSteps]).toEqual([]);
  return at === -1 && before.length === after.length ? null : { at, before: before[at]?.args, after: after[at]?.args };
}

describe('an agent that is played again with recorded answers', () => {
  it('asks the same again, and ends the same', async () => {
    expect(firstOther(await rehearsal(await recorded(TWO_TASKS), {}))).toBeNull();
  });

  it('asks something else first where its version does', async () => {
    const world = await recorded(TWO_TASKS);
    expect(firstOther(await rehearsal(world, { instructions: 'Help fast.' }))).toMatchObject({
      at: 0,
      before: { kind: 'model', instructions: 'Help.' },
      after: { kind: 'model', instructions: 'Help fast.' },
    });
    expect(firstOther(await rehearsal(world, { approvers: ['ann'] }))).toMatchObject({
      at: 1,
      before: { approval: 'task', approvers: [] },
      after: { approval: 'task', approvers: ['ann'] },
    });
    const tools = [{ ...ARGS.tools[0], approve: 'never' }];
    expect(firstOther(await rehearsal(world, { tools }))).toMatchObject({
      at: 1,
      before: { kind: 'approval' },
      after: { kind: 'child', tool: 'task', input: { title: 'look' } },
    });
    expect(firstOther(await rehearsal(world, { limits: { steps: 1 } }))).toMatchObject({
      at: 4,
      before: { kind: 'model' },
      after: { fails: { code: 'limit_steps' } },
    });
    const limits = { steps: 5, toolCalls: 1 };
    expect(firstOther(await rehearsal(world, { limits }))).toMatchObject({ at: 1 });
  });

  it('is not known when the play asked something that nobody asks any more', async () => {
    const world = await recorded(TWO_TASKS, { instructions: 'As it was long ago.' });
    const { unknownSteps } = await rehearsal(world, {});
    expect([...unknownSteps]).toEqual(['agent']);
  });
});
