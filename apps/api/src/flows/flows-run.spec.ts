import { expect, it } from 'vitest';
import { flowsRun } from './flows-run.js';

const layer = (flowId: unknown, appId = 'run-flow') => [{ ref: 'call', appId, args: { flowId } }];

const agent = [
  {
    ref: 'help',
    appId: 'agent',
    args: {
      flowId: 'f1',
      tools: [
        { kind: 'mcp', flowId: 'f2' },
        { kind: 'flow', flowId: 'f3' },
      ],
    },
  },
];

it.each([
  ['an id', layer('f1'), null, [{ ref: 'call', flowId: 'f1' }]],
  ['an expression', layer('{{ $prev.args.flow }}'), null, [{ ref: 'call', flowId: null }]],
  ['an expression beside text', layer('f{{ $blueprint.x }}'), { x: '1' }, [{ ref: 'call', flowId: null }]],
  ['a variable of the blueprint', layer('{{ $blueprint.x }}'), { x: 'f2' }, [{ ref: 'call', flowId: 'f2' }]],
  ['a variable that is not given yet', layer('{{ $blueprint.x }}'), null, []],
  ['another module', layer('f1', 'text-template'), null, []],
  ['what is no text', layer(5), null, []],
  ['tools of an agent', agent, null, [{ ref: 'help', flowId: 'f3' }]],
])('reads which flow is run: %s', (_what, layers, vars, uses) => {
  expect(flowsRun(layers, vars)).toEqual(uses);
});
