// Processes of its own: the API is stopped and started under agents.
import type { Client } from '@modelcontextprotocol/client';
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startFleet } from '../e2e/harness/fleet.js';
import { connectAgent, useTool, type Content, type Era } from '../api/mcp-agent.js';
import { CAMPAIGN_TIMEOUT_MS, MINUTES } from './harness/campaign-length.js';

/** How long a run waits between its two calls; agents wait 25 s at a time. */
const RUN_MS = MINUTES > 0 ? MINUTES * 60_000 : 3_000;
const { admin, ledger, add, of } = await startFleet({ apps: ['api', 'worker', 'scheduler'] });
const { company_id: companyId } = await admin.createFlow({ name: 'of the company' });
const viewer = await admin.must<{ id: string }>(201, 'POST', '/api/v1/users', {
  email: 'viewer@weft.test',
  roles: [{ company_id: companyId, role: 'viewer' }],
  password: 'a long enough password',
});
const { token } = await admin.createApiKey({ scope: 'mcp' });
/** Of an agent of another user, who has not started what it decides. */
const colleague = await admin.must<{ id: string }>(201, 'POST', '/api/v1/users', {
  email: 'colleague@weft.test',
  roles: [{ company_id: companyId, role: 'flow_editor' }],
  password: 'another long enough password',
});
const mcp = { decide_approvals: true };
const { token: deciderToken } = await admin.createApiKey({ scope: 'mcp', user_id: colleague.id, mcp });
const { token: viewerToken } = await admin.createApiKey({ scope: 'mcp', user_id: viewer.id });

function apiNow() {
  const api = of('api').at(-1);
  if (!api) throw new Error('no API');
  return api;
}

/** Ends the API as a crash does, and starts one at the same address. */
async function restartApi(): Promise<void> {
  const api = apiNow();
  await api.kill('SIGKILL');
  await add('api', { port: api.port });
}

/** As an agent does it: again when an answer was lost, which is safe for what only reads. */
async function insist(client: Client, name: string, args: object): Promise<Content> {
  return waitFor(() => useTool(client, name, args).catch(() => null), { what: `an answer of ${name}` });
}

/** Waits as long as the play goes on by itself. */
async function follow(client: Client, first: Content): Promise<Content> {
  let play = first;
  while (['NEW', 'RUN', 'DEFERRED'].includes(play.state as string)) {
    play = await insist(client, 'wait_for_play', { playId: play.playId, since: play.seq });
  }
  return play;
}

async function makeFlow(client: Client, era: Era): Promise<string> {
  const call = (ref: string) => ({ ref, appId: 'web-request', args: { url: `${ledger.url}/${era}/${ref}` } });
  const layers = [
    call('begin'),
    { ref: 'work', appId: 'delay', args: { ms: RUN_MS } },
    call('end'),
    { ref: 'ask', appId: 'approval', args: { message: 'Ship {{ $prev.args.order }}?' } },
    { ref: 'say', appId: 'text-template', args: { template: 'Order {{ $prev.args.order }}: {{ .ask.decision }}' } },
  ];
  const { id: flowId } = await useTool(client, 'create_flow', { name: `ship ${era}`, layers });
  await useTool(client, 'update_flow', { flowId, version: 1, enabled: true });
  return flowId as string;
}

it.each<Era>(['2026', '2025'])(
  `an agent of %s runs a flow of ${RUN_MS / 1_000} s through a restart of the API, and loses nothing`,
  { timeout: CAMPAIGN_TIMEOUT_MS },
  async (era) => {
    const client = await connectAgent(apiNow().url, token, { era });
    const flowId = await makeFlow(client, era);
    const run = { flowId, args: { order: 7 }, idempotencyKey: `order-${era}` };
    const begun = useTool(client, 'run_flow', run).catch(() => 'cut');
    await waitFor(() => ledger.callsTo(`/${era}/begin`).length === 1, { what: 'the first call of the play' });
    await restartApi();
    expect(await begun).toBe('cut');

    // the same client goes on
    const [found] = (await insist(client, 'list_plays', { flowId })).items as Content[];
    const playId = found?.id;
    expect(await follow(client, { playId, state: 'RUN', seq: 0 })).toMatchObject({ state: 'WAIT' });

    const decision = { playId, ref: 'ask', decision: 'approve' };
    const onlooker = await connectAgent(apiNow().url, viewerToken, { era });
    expect(await useTool(onlooker, 'decide_approval', decision)).toMatchObject({ failed: true, code: 'denied' });
    expect(await useTool(client, 'decide_approval', decision)).toMatchObject({ failed: true, code: 'denied' });
    const decider = await connectAgent(apiNow().url, deciderToken, { era });
    await useTool(decider, 'decide_approval', decision);
    expect(await follow(client, await useTool(client, 'wait_for_play', { playId }))).toMatchObject({
      ...{ playId, state: 'DONE', out: { text: 'Order 7: approve' }, error: null },
    });
    // the run whose answer was lost is not made twice
    expect(await useTool(client, 'run_flow', run)).toMatchObject({ playId, state: 'DONE' });
    expect((await useTool(client, 'list_plays', { flowId })).items).toMatchObject([{ id: playId, trigger: 'mcp' }]);
    expect(['begin', 'end'].map((ref) => ledger.callsTo(`/${era}/${ref}`).length)).toEqual([1, 1]);
    await Promise.all([client.close(), onlooker.close(), decider.close()]);
  },
);
