import { sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import type { Face, FaceFault } from '../../../face.js';
import { faceFaults } from '../../../face-faults.js';
import { callSandbox } from '../../../call/call-sandbox.js';
import type { LayerFailure } from '../../../layer-module.js';
import { faceOfTool } from '../../mcp-tool/tool.fixture.js';
import { faceOf } from '../../operation/shop.fixture.js';
import { operation } from '../../operation/operation.layer.js';
import { agentFace } from '../face.js';
import { agentArgs, type AgentArgs } from '../shape.js';
import { argsOfCall, asksFor, checkCall } from './call.js';
import { toolsOf } from './list.js';
import type { AgentTool } from './tool.js';

const ARGS = { integrationId: 'model', model: 'small', instructions: 'Help.', input: 'Do it.' };
const agent = (tools: readonly object[], more: object = {}): AgentArgs => agentArgs.parse({ ...ARGS, tools, ...more });

const BILL: Face = {
  ...faceOf('createOrder', { title: 'Bill an order!', description: 'Bills it.' }),
  argsSchema: { type: 'object', properties: { orderId: { type: 'integer' } }, required: ['orderId'] },
};
const SEARCH = faceOfTool(
  {
    name: 'search',
    description: 'Searches the wiki.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
      additionalProperties: false,
    },
  },
  'https://wiki.example.com/mcp',
);
const FACES = new Map<string, Face | FaceFault>([
  ['flow:bill', BILL],
  ['shop/createOrder', faceOf('createOrder')],
  ['shop/getOrder', faceOf('getOrder')],
  ['mcp:wiki/search', SEARCH],
]);
const FLOW = { kind: 'flow', flowId: 'bill' };
const CREATE = { kind: 'operation', api: 'shop', operation: 'createOrder' };
const GET = { kind: 'operation', api: 'shop', operation: 'getOrder' };
const WIKI = { kind: 'mcp', server: 'wiki', tool: 'search' };

const listed = (tools: readonly object[]): readonly AgentTool[] => toolsOf(agent(tools), FACES);
const call = (tools: readonly AgentTool[], name: string, args: unknown) =>
  checkCall(tools, { id: 'c', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) });
const refusal = (...given: Parameters<typeof call>): string => {
  const checked = call(...given);
  return 'refused' in checked ? checked.refused : 'it was not refused';
};

describe('the tools of an agent', () => {
  it('have names with what they are of before them, descriptions and schemas', () => {
    const tools = listed([FLOW, CREATE, GET, WIKI]);
    expect(tools.map(({ name, description, readsOnly }) => [name, description, readsOnly])).toEqual([
      ['flow_Bill_an_order', 'Bills it.', false],
      ['shop_createOrder', expect.any(String), false],
      ['shop_getOrder', expect.any(String), true],
      ['wiki_search', expect.stringContaining('Searches the wiki.'), false],
    ]);
    expect(tools[0]?.schema).toEqual(BILL.argsSchema);
  });

  it('have names that every provider takes, each once', () => {
    const long = { ...FLOW, name: 'x'.repeat(64) };
    const names = listed([FLOW, FLOW, { ...GET, name: 'flow_Bill_an_order_2' }, FLOW, long]).map(({ name }) => name);
    expect(names).toEqual([
      ...['flow_Bill_an_order', 'flow_Bill_an_order_3', 'flow_Bill_an_order_2', 'flow_Bill_an_order_4'],
      'x'.repeat(64),
    ]);
    const titled = new Map([['flow:bill', { ...BILL, title: `Größe: 日本 ${'long '.repeat(30)}` }]]);
    const made = toolsOf(agent([FLOW, FLOW]), titled).map(({ name }) => name);
    expect(made.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)) && new Set(made).size === 2).toBe(true);
  });

  it('cannot be made of what is not there', () => {
    const gone = new Map([['shop/getOrder', { code: 'api_not_found', path: 'api', message: 'it is gone' } as const]]);
    const fault = (tools: readonly object[]) => {
      try {
        return toolsOf(agent(tools), gone);
      } catch (error) {
        return `${(error as LayerFailure).code} ${(error as LayerFailure).message}`;
      }
    };
    expect(fault([GET])).toBe('api_not_found tools.0.api: it is gone');
    expect(fault([WIKI])).toBe('tool_not_found What tools.0 names is not there.');
  });
});

describe('a call that a model asks for', () => {
  it('runs with what Weft puts in, whatever the model says of it', () => {
    const tools = listed([
      { ...CREATE, fixed: { 'body.id': 7 } },
      { ...FLOW, fixed: { orderId: 9 } },
    ]);
    expect(JSON.stringify(tools.map(({ schema }) => schema))).not.toContain('orderId');
    expect(call(tools, 'shop_createOrder', { body: { id: 666, parts: [] } })).toMatchObject({
      input: { body: { id: 7, parts: [] } },
    });
    expect(call(tools, 'flow_Bill_an_order', '')).toMatchObject({ input: { orderId: 9 } });
  });

  it('is data: expressions in it stay texts, also in an address', () => {
    const tools = listed([WIKI, GET]);
    const query = '{{ $blueprint.secret }} {{ $link.access_token }}';
    const checked = call(tools, 'wiki_search', { query });
    expect(checked).toMatchObject({ input: { query } });
    const args = argsOfCall(tools[0] as AgentTool, { query });
    expect(args).toMatchObject({ server: 'wiki', tool: 'search', bound: { input: { query } } });
    expect(refusal(tools, 'shop_getOrder', { path: { id: '../admin' } })).toContain('arguments.path.id');
  });

  it('becomes the arguments of its module', () => {
    const tools = listed([
      { ...GET, auth: { integrationId: 'shop' } },
      { ...FLOW, flowId: 'bill' },
    ]);
    const args = argsOfCall(tools[0] as AgentTool, { path: { id: 7 } }) as Parameters<typeof operation.run>[0];
    expect(args.bound?.request).toMatchObject({
      ...{ method: 'GET', url: 'https://api.example.com/v1/orders/7', auth: { integrationId: 'shop' } },
    });
    expect(argsOfCall(tools[1] as AgentTool, { orderId: 1 })).toEqual({
      flowId: 'bill',
      args: { orderId: 1 },
      wait: true,
    });
  });

  it.each([
    ['a tool that is not listed', 'wiki_serch', {}, /no tool "wiki_serch". Did you mean wiki_search\?/],
    ['arguments that are cut', 'wiki_search', '{"query": "a', /not a JSON object: nothing was called/],
    ['a list', 'wiki_search', [1], /not a JSON object/],
    ['arguments that do not fit', 'wiki_search', { query: 7, more: 1 }, /arguments\.query .*; .*more/],
    ['arguments that are left out', 'flow_Bill_an_order', {}, /arguments\.orderId|orderId/],
    [
      'a text where a fixed value needs an object',
      'shop_createOrder',
      { body: 'x' },
      /arguments\.body must be objects/,
    ],
  ])('is refused, with what is wrong: %s', (_what, name, args, message) => {
    const tools = listed([WIKI, FLOW, { ...CREATE, fixed: { 'body.id': 7 } }]);
    expect(refusal(tools, name, args)).toMatch(message);
  });
});

describe('whether a person is asked', () => {
  const transform = (expression: string, input: unknown) => {
    const play = { _id: 'p', company_id: 'c', createdAt: new Date(0) };
    const use = { sandbox, files: null, play, signal: new AbortController().signal, seed: 's' };
    const scope = {
      layers: new Map(),
      args: {},
      blueprint: {},
      play: { id: 'p' },
      flow: { id: 'f', name: 'F', key: null, version: 1 },
      company: { name: 'C' },
    };
    return callSandbox(use, scope).transform(expression, input);
  };
  const asks = async (approve: string, args: object) => {
    const checked = call(listed([{ ...CREATE, approve }]), 'shop_createOrder', { body: args });
    if ('refused' in checked) throw new Error(checked.refused);
    return asksFor(checked, { sandbox: { transform } });
  };

  it.each([
    ['never', { id: 1 }, false],
    ['always', { id: 1 }, true],
    ['{{ $call.args.body.id > 100 }}', { id: 101 }, true],
    ['{{ $call.args.body.id > 100 }}', { id: 100 }, false],
    [
      '{{ $call.tool = "shop_createOrder" and $count($call.args.body.parts) > 0 }}',
      { id: 1, parts: [{ id: 2 }] },
      true,
    ],
    ['{{ $call.args.body.missing }}', { id: 1 }, true],
    ['{{ $call.args.body.missing = true }}', { id: 1 }, false],
  ])('%s of %j: %s', async (approve, args, expected) => {
    expect(await asks(approve, args)).toBe(expected);
  });

  it('is not decided by what the model writes', async () => {
    const args = { id: 1, note: '{{ false }}', '"] ; false ; ["': 1 };
    expect(await asks('{{ $call.args.body.note != "" }}', args)).toBe(true);
  });
});

describe('an agent that is saved', () => {
  const fault = (tools: readonly object[], more: object = {}) => agentFace.inspect({ ...ARGS, tools, ...more });
  const faults = (tool: object, face: Face | FaceFault) => {
    const layer = { appId: 'agent', args: { ...ARGS, tools: [GET, tool] }, when: null, forEach: null };
    const parts = agentFace.partsOf(layer.args);
    return parts.slice(1).flatMap((part) => faceFaults(layer, { ...part, faceKey: part.faceKey ?? '' }, face));
  };

  it.each([
    ['{{ $call.args.x', 'tools.0.approve'],
    ['yes', 'tools.0.approve'],
    ['{{ }}', 'tools.0.approve'],
    ['{{ $prev.a.b }}', 'tools.0.approve'],
    ['{{ $call.args.x > $blueprint.limit }}', 'tools.0.approve'],
    ['{{ $unknown }}', 'tools.0.approve'],
  ])('has conditions over the call alone: not %s', (approve, path) => {
    expect(fault([{ ...WIKI, approve }])).toMatchObject({ path });
  });

  it('has names that are free', () => {
    expect(fault([{ ...WIKI, name: 'a' }, GET, { ...GET, name: 'a' }])).toMatchObject({ path: 'tools.2.name' });
    expect(fault([{ ...WIKI, name: 'read_result' }])).toMatchObject({ path: 'tools.0.name' });
    expect(fault([FLOW, { ...WIKI, approve: '{{ $call.args.q }}', name: 'a' }])).toBeNull();
  });

  it('has a schema of its output that says object', () => {
    expect(fault([], { outputSchema: { properties: {} } })).toMatchObject({ path: 'outputSchema.type' });
    const odd = { type: 'object', properties: { a: { type: 'txt' } } };
    expect(fault([], { outputSchema: odd })).toMatchObject({ path: 'outputSchema.properties.a.type' });
  });

  it('names what its tools name, pinned to states', () => {
    const layer = { appId: 'agent', args: { ...ARGS, tools: [FLOW, { ...GET, digest: 'd'.repeat(22) }, WIKI, 7, {}] } };
    expect(agentFace.partsOf(layer.args).map(({ path, faceKey, isPinned }) => [path, faceKey, isPinned])).toEqual([
      ['tools.0', 'flow:bill', false],
      ['tools.1', `shop/getOrder@${'d'.repeat(22)}`, true],
      ['tools.2', 'mcp:wiki/search', true],
    ]);
  });

  it('fixes arguments that its tools have: another one would leave the decision to the model', () => {
    expect(faults({ ...WIKI, fixed: { query: '{{ $prev.a.q }}', qeury: 1 } }, SEARCH)).toEqual([
      {
        path: 'args.tools.1.fixed.qeury',
        code: 'invalid_args',
        message: expect.stringContaining('not an argument') as string,
      },
    ]);
  });

  it('says which tool is not there; that a flow is not there is a warning', () => {
    const gone = { code: 'tool_not_found', path: 'tool', message: 'it is gone' } as const;
    expect(faults(WIKI, gone)).toMatchObject([{ path: 'args.tools.1.tool', message: 'it is gone' }]);
    expect(faults(FLOW, { code: 'flow_not_found', path: 'flowId', message: 'it is gone' })).toEqual([]);
  });

  it('names a server of the document of its operation that there is', () => {
    expect(faults({ ...CREATE, server: 9 }, faceOf('createOrder'))).toMatchObject([{ path: 'args.tools.1.server' }]);
  });
});
