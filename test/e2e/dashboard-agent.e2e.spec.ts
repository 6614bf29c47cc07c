import type { FlowView, PlayLayerView } from '@weft/contracts';
import { modelProvider, waitFor, type ScriptedAnswer } from '@weft/testing';
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
  expect(await steps.count()).toBe(21);
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
