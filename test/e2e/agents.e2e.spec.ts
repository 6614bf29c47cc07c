import { Client, StreamableHTTPClientTransport, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { waitFor } from '@weft/testing';
import { expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';

const { admin, add, of } = await startFleet({ apps: ['api', 'worker', 'scheduler'] });
const { body: key } = await admin.send<{ token: string }>('POST', '/api/v1/admin/api-keys', {
  name: 'agent',
  scope: 'mcp',
});

interface Told {
  readonly id: string;
  readonly version: number;
  readonly playId: string;
  readonly state: string;
  readonly seq: number;
  readonly out: unknown;
  readonly items: readonly { readonly id: string }[];
}

async function connect(url: string, versionNegotiation: VersionNegotiationOptions) {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${key.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  const use = async (name: string, args: Record<string, unknown>): Promise<Told> => {
    const { structuredContent, content } = await client.callTool({ name, arguments: args });
    if (!structuredContent) throw new Error(JSON.stringify(content));
    return structuredContent as unknown as Told;
  };
  return { use, close: () => client.close() };
}

it.each<[string, VersionNegotiationOptions]>([
  ['2026', { mode: { pin: '2026-07-28' } }],
  ['2025', { mode: 'legacy' }],
])('an agent of %s builds a flow, loses its API in the middle of a run, and goes on at another', async (_era, mode) => {
  const api = of('api').at(-1);
  if (!api) throw new Error('no API');
  const first = await connect(api.url, mode);
  const layers = [
    { ref: 'ask', appId: 'approval', args: { message: 'Ship {{ $prev.args.order }}?' } },
    { ref: 'tell', appId: 'text-template', args: { template: 'Order {{ $prev.args.order }}: {{ .ask.decision }}' } },
  ];
  const { id: flowId } = await first.use('create_flow', { name: 'ship', layers });
  await first.use('update_flow', { flowId, version: 1, enabled: true });
  const run = { flowId, args: { order: 7 }, idempotencyKey: 'order-7' };
  const lost = first.use('run_flow', run).then(
    () => 'answered',
    () => 'cut',
  );
  const playId = await waitFor(async () => (await first.use('list_plays', { flowId })).items[0]?.id, {
    what: 'the play of the agent',
  });
  const replacement = await add('api');
  await api.kill('SIGKILL');
  expect(await lost).toBe('cut');

  const second = await connect(replacement.url, mode);
  let play = await second.use('wait_for_play', { playId, since: 0 });
  while (play.state !== 'WAIT') play = await second.use('wait_for_play', { playId, since: play.seq });
  await second.use('decide_approval', { playId, ref: 'ask', decision: 'approve' });
  expect(await second.use('wait_for_play', { playId })).toMatchObject({
    state: 'DONE',
    out: { text: 'Order 7: approve' },
  });
  // the run that was lost on the way is not made twice
  expect(await second.use('run_flow', run)).toMatchObject({ playId, state: 'DONE' });
  expect((await second.use('list_plays', { flowId })).items).toHaveLength(1);
  await second.close();
});
