import type { FlowView, PlayLayerView } from '@weft/contracts';
import { mcpServer, modelProvider, waitFor, type ScriptedAnswer } from '@weft/testing';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { faultsOfLooks, openDashboard } from './harness/dashboard.js';

const { admin, visit } = await openDashboard();
const provider = await modelProvider();
afterAll(() => provider.close());

const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', {
  ...{ type: 'openai', name: 'The model', endpoint: provider.url },
  access_token: 'sk-of-the-fake-provider',
});
const tool = await admin.createFlow({
  name: 'Look up',
  argsSchema: { type: 'object', properties: { word: { type: 'string' }, tenant: { type: 'string' } } },
  layers: [
    { ref: 'say', appId: 'text-template', args: { template: '{{ $prev.args.word }} of {{ $prev.args.tenant }}' } },
  ],
});

/** Pictures, for those who ask for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const { SHOTS } = process.env;
  if (SHOTS === undefined) return;
  for (const width of [1_440, 380]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1_440, height: 900 });
}

function agentFlow(approve: string): Promise<FlowView> {
  return admin.createFlow({
    name: 'Agent',
    layers: [
      {
        ref: 'help',
        appId: 'agent',
        args: {
          ...{ integrationId, model: 'small', instructions: 'Look words up.', input: 'Look up {{ $prev.args.what }}.' },
          tools: [{ kind: 'flow', flowId: tool.id, name: 'look_up', approve, fixed: { tenant: 'acme' } }],
        },
      },
    ],
  });
}

const asking = (word: string): ScriptedAnswer => ({
  text: `I look up ${word}.`,
  calls: [{ name: 'look_up', arguments: { word, tenant: 'another one' } }],
  usage: { tokensIn: 100, tokensOut: 10 },
});

/** A play in which the agent has looked two words up, and somebody who looks at the dashboard. */
async function ranAgent() {
  provider.answerWith([asking('one'), asking('two'), { text: 'Both are there.' }]);
  const flow = await agentFlow('never');
  const { playId } = await admin.run(flow.id, { args: { what: 'two words' } });
  await admin.waitForPlay(playId);
  return { flow, playId, visitor: await visit(admin) };
}

it('shows who called what, with which arguments, in a play of twenty steps', async () => {
  provider.answerWith([...Array.from({ length: 10 }, (_, i) => asking(`word ${i}`)), { text: 'All ten are there.' }]);
  const flow = await agentFlow('never');
  const { playId } = await admin.run(flow.id, { args: { what: 'ten words' } });
  await admin.waitForPlay(playId);
  const [layer] = await admin.must<PlayLayerView[]>(200, 'GET', `/api/v1/plays/${playId}/layers`);
  expect(layer).toMatchObject({
    state: 'DONE',
    out: { text: 'All ten are there.', usage: { tokensOut: 105, calls: 10 } },
  });
  // what is fixed was neither shown to the model, nor taken from it
  const [request] = provider.requests;
  expect(request?.tools.map(({ name, schema }) => [name, schema])).toContainEqual([
    'look_up',
    { type: 'object', properties: { word: { type: 'string' } } },
  ]);
  expect(request?.input).toBe('Look up ten words.');
  expect(provider.requests.at(-1)?.results[0]?.text).toContain('word 9 of acme');

  const visitor = await visit(admin);
  const { page } = visitor;
  await visitor.go(`/plays/${playId}`);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.getByText('10 calls of tools').waitFor();
  const steps = page.locator('details');
  await steps.nth(20).waitFor();
  await expect.poll(() => steps.count()).toBe(21);
  await steps.nth(1).locator('summary').click();
  await steps.nth(1).getByText('"acme"', { exact: true }).waitFor();
  await steps.nth(1).getByRole('link', { name: 'Open the play of this flow' }).waitFor();
  await shoot(page, 'transcript');
  expect(await faultsOfLooks(page)).toEqual([]);
  expect(visitor.faults).toEqual([]);
});

it('shows what has been done while a person is asked, and goes on with the decision', async () => {
  provider.answerWith([asking('a secret'), { text: 'It was not allowed.' }]);
  const flow = await agentFlow('{{ $contains($call.args.word, "secret") }}');
  const { playId } = await admin.run(flow.id, { args: { what: 'it' } });
  await waitFor(
    async () => (await admin.must<{ state: string }>(200, 'GET', `/api/v1/plays/${playId}`)).state === 'WAIT',
    {
      what: 'the agent to ask',
    },
  );
  const visitor = await visit(admin);
  const { page } = visitor;
  await visitor.go(`/plays/${playId}`);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.getByText('asks for look_up').waitFor();
  await page.getByText('help waits here: may it call look_up?').waitFor();
  await page.getByText('"acme"', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Decide' }).click();
  expect(new URL(page.url()).hash).toBe('#approval-help');
  await page.getByRole('region', { name: 'Approval help' }).waitFor();
  await shoot(page, 'transcript-asks');
  expect(await faultsOfLooks(page)).toEqual([]);
  expect(visitor.faults).toEqual([]);
});

it('shows what the model says while it says it, and then the step', async () => {
  const hold = Promise.withResolvers<void>();
  const words = Array.from({ length: 400 }, (_, i) => `word${i} `);
  provider.answerWith(async ({ turn }) => {
    if (turn === 1) await hold.promise;
    return turn === 0 ? { ...asking('it'), text: words, everyMs: 10 } : { text: 'It is there.' };
  });
  const flow = await agentFlow('never');
  const { playId } = await admin.run(flow.id, { args: { what: 'it' } });
  const visitor = await visit(admin);
  const { page } = visitor;
  await visitor.go(`/plays/${playId}`);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  const atWork = page.getByRole('region', { name: 'At work' });
  await atWork.getByText('word9 word10').waitFor();
  await shoot(page, 'transcript-says');
  // the answer is stored: it is a step, and is not said any more
  await page.locator('details').first().waitFor();
  await atWork.getByText('word9 word10').waitFor({ state: 'detached' });
  hold.resolve();
  await page.locator('details').nth(2).waitFor();
  await atWork.waitFor({ state: 'detached' });
  expect(visitor.faults).toEqual([]);
});

const HOSTILE = [
  '<img src=x onerror="window.stolen = document.cookie"><script>window.stolen = 1</script>',
  '[click me](javascript:window.stolen=1) <a href="javascript:window.stolen=1">here</a>',
  'javascript:window.stolen=1',
];

it('shows what a model and its tools say as text: nothing in it is run, and no link leads where it says', async () => {
  const echo = await admin.createFlow({
    name: HOSTILE[0] ?? '',
    layers: [{ ref: 'say', appId: 'text-template', args: { template: HOSTILE.join('\n') } }],
  });
  const reference = { $ref: 'javascript:window.stolen=1', bytes: 1, filename: HOSTILE[0] };
  provider.answerWith([
    { text: HOSTILE.join('\n'), calls: [{ name: 'echo', arguments: { HOSTILE, reference } }] },
    { calls: [{ name: HOSTILE[0] ?? '', arguments: { HOSTILE } }] },
    { text: HOSTILE.join(' '), calls: [{ name: 'ask', arguments: { HOSTILE, reference } }] },
  ]);
  const flow = await admin.createFlow({
    layers: [
      {
        ref: 'help',
        appId: 'agent',
        args: {
          ...{ integrationId, model: 'small', instructions: 'Help.', input: 'Help.' },
          tools: [
            { kind: 'flow', flowId: echo.id, name: 'echo' },
            { kind: 'flow', flowId: echo.id, name: 'ask', approve: 'always' },
          ],
        },
      },
    ],
  });
  const { playId } = await admin.run(flow.id);
  await admin.waitForPlay(playId, { state: 'WAIT' });
  const visitor = await visit(admin);
  const { page } = visitor;
  await visitor.go(`/plays/${playId}`);
  await page.getByRole('tab', { name: 'Transcript' }).click();
  await page.getByText('may it call ask?').waitFor();
  const steps = page.locator('details');
  for (let i = 0; i < (await steps.count()); i += 1) await steps.nth(i).locator('summary').click();
  // results, arguments and texts are there
  await page.getByText('onerror').nth(4).waitFor();
  await page.getByText('javascript:window').nth(4).waitFor();
  expect(await page.evaluate('window.stolen')).toBeUndefined();
  const inserted = `[...document.querySelectorAll('main a, main img, main script, main iframe')]
    .filter((each) => each.tagName !== 'A' || !/^(https?:|\\/|#)/.test(each.getAttribute('href') ?? '')).map((each) => each.outerHTML)`;
  expect(await page.evaluate(inserted)).toEqual([]);
  expect(visitor.faults).toEqual([]);
});

const CODE_HOST = new URL('../../docs/examples/apis/code-host.json', import.meta.url);

it('has a form: tools are chosen from lists, and who is asked, what is fixed and where it stops is said in words', async () => {
  const server = await mcpServer('2026', {
    tools: [{ name: 'search', description: 'Searches the wiki.', inputSchema: { type: 'object', properties: {} } }],
    perform: () => ({ content: [] }),
  });
  const ready = (path: string) =>
    waitFor(async () => (await admin.must<{ state: string }>(200, 'GET', path)).state === 'ready', { what: path });
  const source = { document: readFileSync(CODE_HOST, 'utf8') };
  await admin.must(202, 'POST', '/api/v1/apis', { name: 'Code host', key: 'host', source });
  await admin.must(202, 'POST', '/api/v1/mcp-servers', { name: 'Wiki', key: 'wiki', url: server.url });
  await Promise.all([ready('/api/v1/apis/host'), ready('/api/v1/mcp-servers/wiki')]);
  const flow = await admin.createFlow({
    name: 'Agent in a form',
    layers: [
      {
        ref: 'help',
        appId: 'agent',
        args: { integrationId, model: 'small', instructions: 'Help.', input: 'Do it.' },
      },
    ],
  });
  const visitor = await visit(admin);
  const { page } = visitor;
  await visitor.go(`/flows/${flow.id}`);
  const tools = page.getByRole('group', { name: 'Tools', exact: true });
  await tools.getByText('It has no tools').waitFor();

  await tools.getByRole('button', { name: 'flows' }).click();
  await page.getByLabel('Search flows').fill('look');
  await page.getByRole('option', { name: 'Look up' }).click();
  await tools.getByText('Look up is a tool now.').waitFor();
  await page.getByRole('option', { name: 'Look up' }).click();
  await tools.getByText('Look up is a tool already.').waitFor();
  await tools.getByRole('button', { name: 'operations of APIs' }).click();
  await page.getByLabel('API', { exact: true }).selectOption('host');
  // several, one after the other
  await page.getByRole('option', { name: /List the issues/ }).click();
  await page.getByLabel('Search operations').fill('labels');
  await page.getByRole('option', { name: /Add labels/ }).click();
  await tools.getByRole('button', { name: 'tools of MCP servers' }).click();
  await page.getByLabel('MCP server').selectOption('wiki');
  await page.getByRole('option', { name: /search/ }).click();
  await tools.getByRole('button', { name: 'Done' }).click();
  await tools.locator('details').nth(3).waitFor();
  await expect
    .poll(() => tools.locator('summary strong').allTextContents())
    .toEqual([...['Look up', 'List the issues of a repository', 'Add labels to an issue', 'search']]);

  // of the flow an argument is fixed, to its type and by its name
  const lookUp = tools.locator('details').nth(0);
  await lookUp.locator('summary').click();
  await lookUp.getByLabel('Fix an argument').selectOption('tenant');
  await lookUp.getByRole('textbox', { name: 'tenant' }).click();
  await page.keyboard.insertText('acme');
  await expect
    .poll(() => lookUp.getByLabel('Fix an argument').locator('option').allTextContents())
    .toEqual(['Fix an argument …', 'word']);
  await lookUp.getByRole('button', { name: 'Add Most calls' }).click();
  await lookUp.getByRole('spinbutton', { name: 'Most calls' }).fill('3');
  // of an operation within its places
  const labels = tools.locator('details').nth(2);
  await labels.locator('summary').click();
  await labels.getByLabel('Before a call').selectOption({ label: 'A person approves it if …' });
  await labels.getByRole('textbox', { name: 'Condition' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('{{ $call.args.path.issue_number > }}');
  // what is wrong with a text is said when one leaves it
  await page.getByLabel('Ref', { exact: true }).focus();
  await page.getByRole('button', { name: '1 problem', exact: true }).waitFor();
  await labels.locator('p[class*=fault]').waitFor();
  await page.getByRole('textbox', { name: 'Condition' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('{{ $call.args.path.issue_number > 100 }}');
  await labels.getByLabel('Fix an argument').selectOption('path.owner');
  await labels.getByRole('textbox', { name: 'path.owner' }).click();
  await page.keyboard.insertText('{{ $prev.args.owner }}');
  await labels.getByRole('button', { name: 'Add After a crash' }).click();
  await labels.getByRole('combobox', { name: 'After a crash' }).selectOption({ label: 'The agent fails' });
  await labels.getByRole('button', { name: 'Add Several calls' }).click();

  // every argument has words
  const others = page.getByRole('group', { name: 'Fields that can be added' });
  const names = (await others.getByRole('button').allTextContents()).filter((name) => !/^[A-Z]/.test(name));
  expect(names).toEqual([]);

  // limits are there with what holds without them
  const limits = page.getByRole('group', { name: 'Limits', exact: true });
  await expect
    .poll(() => limits.getByRole('spinbutton', { name: 'Answers of the model' }).getAttribute('placeholder'))
    .toBe('20');
  await limits.getByRole('spinbutton', { name: 'Tokens' }).fill('5000');
  await limits.getByRole('spinbutton', { name: 'Calls of tools' }).fill('7');
  await limits.getByRole('spinbutton', { name: 'Calls of tools' }).fill('');
  await page.getByText('no problems').waitFor();
  await shoot(page, 'agent-form');
  expect(visitor.faults).toEqual([]);
  expect(await faultsOfLooks(page)).toEqual([]);
  await tools.locator('details').nth(3).locator('summary').click();
  await tools.locator('details').nth(3).getByRole('button', { name: 'Remove this tool' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('All saved').waitFor();
  const { layers } = await admin.must<FlowView>(200, 'GET', `/api/v1/flows/${flow.id}`);
  expect(layers?.[0]?.args).toMatchObject({
    tools: [
      { kind: 'flow', flowId: tool.id, fixed: { tenant: 'acme' }, max: 3 },
      { kind: 'operation', api: 'host', operation: 'issues_list-for-repo' },
      {
        ...{ kind: 'operation', api: 'host', operation: 'issues_add-labels' },
        approve: '{{ $call.args.path.issue_number > 100 }}',
        fixed: { 'path.owner': '{{ $prev.args.owner }}' },
        ...{ onInterrupted: 'fail', parallel: true },
      },
    ],
    limits: { tokens: 5_000 },
  });
  expect((layers?.[0]?.args as { readonly limits?: object } | undefined)?.limits).toEqual({ tokens: 5_000 });
  await server.close();
  expect(visitor.faults).toEqual([]);
});

it('backtests a changed instruction: the first step that asks something else, then and now', async () => {
  const { visitor, flow, playId } = await ranAgent();
  const { page } = visitor;
  await visitor.go(`/flows/${flow.id}`);
  await page.getByRole('textbox', { name: 'Instructions', exact: true }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('Look words up, and be brief.');
  await page.getByRole('button', { name: 'Backtest' }).click();
  await page.getByRole('button', { name: 'Run the backtest' }).click();
  const backtest = page.getByRole('region', { name: 'Backtest' });
  await backtest.getByText('1 different', { exact: true }).waitFor();
  await expect.poll(() => backtest.getByRole('link').getAttribute('href')).toBe(`/plays/${playId}`);
  const difference = backtest.getByRole('listitem');
  await expect.poll(() => difference.count()).toBe(1);
  await expect
    .poll(() => difference.locator('p').innerText())
    .toBe('Step 0 of help is the first that differs, in instructions');
  await expect
    .poll(() => difference.locator('dd').allInnerTexts())
    .toEqual(['Look words up.', 'Look words up, and be brief.']);
  await backtest.scrollIntoViewIfNeeded();
  await shoot(page, 'backtest');
  expect(await faultsOfLooks(page)).toEqual([]);
  expect(visitor.faults).toEqual([]);
});

it('makes a test case from a play, which replays the agent and passes until the agent is changed', async () => {
  const { visitor, flow } = await ranAgent();
  const { page } = visitor;
  const asked = provider.requests.length;
  await visitor.go(`/flows/${flow.id}?tab=test-cases`);
  await page.getByRole('button', { name: 'From a play' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take it' }).click();
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.fill('looks both up');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('region', { name: 'Result of the dry run' }).getByText('Done').first().waitFor();
  await shoot(page, 'case');
  expect(await faultsOfLooks(page, '[role=dialog]')).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('1 passed, 0 failed').waitFor();
  await shoot(page, 'cases');
  const args = { ...flow.layers?.[0]?.args, instructions: 'Look nothing up.' };
  const changed = { ref: 'help', appId: 'agent', args };
  await admin.must(200, 'PATCH', `/api/v1/flows/${flow.id}`, { layers: [changed] });
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('0 passed, 1 failed').waitFor();
  await shoot(page, 'cases-failed');
  expect(provider.requests).toHaveLength(asked);
  expect(await faultsOfLooks(page)).toEqual([]);
  expect(visitor.faults).toEqual([]);
});
