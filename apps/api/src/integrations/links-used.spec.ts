import { describe, expect, it } from 'vitest';
import { linksUsed } from './links-used.js';

const used = (args: Record<string, unknown>, vars: Record<string, string> | null = null) =>
  linksUsed([{ ref: 'call', appId: args.tools === undefined ? 'web-request' : 'agent', args }], vars).map(
    ({ integrationId }) => integrationId,
  );

describe('the links that a flow uses', () => {
  it('are those that a layer names', () => {
    expect(used({ url: 'https://example.com/', auth: { integrationId: 'a' } })).toEqual(['a']);
    expect(used({ integrationId: 'b', to: 'x' })).toEqual(['b']);
    expect(used({ url: 'https://example.com/', body: { integrationId: 'theirs' } })).toEqual([]);
  });

  it('are those of the tools of an agent, too', () => {
    const tools = [
      { kind: 'flow', flowId: 'f' },
      { kind: 'operation', auth: { integrationId: 'tool' } },
    ];
    expect(used({ integrationId: 'model', tools })).toEqual(['model', 'tool']);
  });

  it('stand in the variables of the blueprint, which no run changes', () => {
    const args = { auth: { integrationId: '{{ $blueprint.link }}' } };
    expect(used(args, { link: 'a' })).toEqual(['a']);
    expect(used(args)).toEqual([]);
  });

  it.each([
    { auth: { integrationId: '{{ $prev.args.link }}' } },
    { auth: { integrationId: 'a{{ $blueprint.link }}' } },
    { auth: { integrationId: '{{ $blueprint.link }}{{ $prev.args.rest }}' } },
    { auth: '{{ $prev.out }}' },
    { integrationId: '{{ $item }}' },
  ])('are not known where a run decides: %j', (args) => {
    expect(used(args, { link: 'a' })).toEqual([null]);
  });
});
