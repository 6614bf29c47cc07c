import { aLayer } from '@weft/testing';
import { withPin } from '@weft/layers';
import { expect, it } from 'vitest';
import { operationsOf } from './operation-layer.js';

const [ONE, OTHER] = ['1'.repeat(22), '2'.repeat(22)];
const shop = { _id: 'api-id', key: 'shop', kind: 'openapi' } as const;
const TOOLS = [
  { kind: 'flow', flowId: 'f', api: 'shop' },
  { kind: 'operation', api: 'api-id', operation: 'get', digest: ONE, fixed: { 'body.id': 7 } },
  { kind: 'mcp', server: 'shop', tool: 'find', digest: OTHER },
  { kind: 'operation', api: 'other', operation: 'get', digest: ONE },
];
const agent = aLayer('help', { appId: 'agent', args: { tools: TOOLS } });

it('finds the operations of an API in layers, and in the tools of agents', () => {
  const input = { body: { id: 1 } };
  const args = { api: 'shop', operation: 'get', digest: ONE, input };
  expect(operationsOf(aLayer('a', { appId: 'operation', args }), shop)).toEqual([
    { path: '', operation: 'get', digest: ONE, input },
  ]);
  expect(operationsOf(agent, shop)).toEqual([
    { path: 'tools.1', operation: 'get', digest: ONE, input: { body: { id: 7 } } },
  ]);
  expect(operationsOf(agent, { ...shop, kind: 'mcp' })).toEqual([
    { path: 'tools.2', operation: 'find', digest: OTHER, input: undefined },
  ]);
});

it('pins a tool to another state, and leaves the others', () => {
  const [pinned] = operationsOf(agent, shop);
  expect(withPin(agent.args, pinned ?? { path: '' }, OTHER)).toEqual({
    tools: TOOLS.with(1, { ...TOOLS[1], digest: OTHER } as (typeof TOOLS)[number]),
  });
});
