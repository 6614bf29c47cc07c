import { describe, expect, it } from 'vitest';
import { renamed, type NamingFlow } from './named-resources.js';

const upper = (flow: NamingFlow) => renamed(flow, (kind, text) => `${kind}:${text}`);

describe('the names in a flow', () => {
  it('stand in arguments, in variables that these read, and in settings', () => {
    const seen: string[] = [];
    const flow = {
      layers: [
        { appId: 'email', args: { integrationId: '{{ $blueprint.mail }}', to: 'a@b.example' } },
        { appId: 'web-request', args: { url: 'https://a.example', auth: { integrationId: 'crm' } } },
        { appId: 'run-flow', args: { flowId: '{{ $blueprint.bill }}', args: { flowId: 'theirs' } } },
        { appId: 'run-flow', args: { flow: 'ship', wait: false } },
        { appId: 'text-template', args: { flowId: 'not of this module', template: '{{ $blueprint.mail }}' } },
      ],
      blueprintVars: { mail: 'smtp', bill: 'billing', other: 'stays' },
      settings: { onFailure: 'alarm', timeoutMs: 5 },
    };
    const after = renamed(flow, (kind, text, path) => {
      seen.push(`${kind} ${path} ${text}`);
      return `<${text}>`;
    });
    expect(seen).toEqual([
      'integration layers.1.args.auth.integrationId crm',
      'flow layers.3.args.flow ship',
      'integration blueprintVars.mail smtp',
      'flow blueprintVars.bill billing',
      'flow settings.onFailure alarm',
    ]);
    expect(after).toEqual({
      layers: [
        flow.layers[0],
        { appId: 'web-request', args: { url: 'https://a.example', auth: { integrationId: '<crm>' } } },
        flow.layers[2],
        { appId: 'run-flow', args: { flowId: '<ship>', wait: false } },
        flow.layers[4],
      ],
      blueprintVars: { mail: '<smtp>', bill: '<billing>', other: 'stays' },
      settings: { onFailure: '<alarm>', timeoutMs: 5 },
    });
  });

  it.each(['', '{{ $prev.args.link }}', 'a{{ $blueprint.link }}'])('are not what only a run knows: %j', (text) => {
    const layers = [{ appId: 'email', args: { integrationId: text } }];
    expect(upper({ layers, blueprintVars: { link: 'x' } })).toEqual({ layers, blueprintVars: { link: 'x' } });
  });

  it('leave a layer that names nothing, or says both flow and flowId, as it is', () => {
    const layers = [{ appId: 'kv', args: { key: 'k' } }, { appId: 'code' }];
    expect(upper({ layers }).layers.every((layer, at) => layer === layers[at])).toBe(true);
    const both = { appId: 'run-flow', args: { flow: 'a', flowId: 'b' } };
    expect(upper({ layers: [both] }).layers).toEqual([{ ...both, args: { flow: 'a', flowId: 'flow:b' } }]);
  });

  it('stand in the tools of an agent, too', () => {
    const seen: string[] = [];
    const tools: readonly unknown[] = [
      { kind: 'flow', flowId: 'bill', fixed: { flowId: 'theirs' } },
      { kind: 'operation', api: 'shop', auth: { integrationId: 'crm' } },
      { kind: 'mcp', server: 'wiki', flowId: 'not of this kind' },
      7,
    ];
    const flow = { layers: [{ appId: 'agent', args: { integrationId: 'model', tools } }] };
    const { layers } = renamed(flow, (kind, text, path) => {
      seen.push(`${kind} ${path}`);
      return `<${text}>`;
    });
    expect(seen).toEqual([
      'integration layers.0.args.integrationId',
      'flow layers.0.args.tools.0.flowId',
      'integration layers.0.args.tools.1.auth.integrationId',
    ]);
    expect(layers[0]?.args.tools).toEqual([
      { ...(tools[0] as object), flowId: '<bill>' },
      { ...(tools[1] as object), auth: { integrationId: '<crm>' } },
      ...tools.slice(2),
    ]);
  });
});
