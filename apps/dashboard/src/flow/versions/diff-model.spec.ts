import { describe, expect, it } from 'vitest';
import { groupChanges } from './diff-model';

describe('the changes between two versions', () => {
  it('are those of the flow, and of each layer', () => {
    const groups = groupChanges([
      { path: 'name', before: 'a', after: 'b' },
      { path: 'layers.fetch.args.headers["x.y"]', before: '1', after: '2' },
      { path: 'layers.fetch.timeoutMs', before: null, after: 9 },
      { path: 'layers', before: ['a', 'b'], after: ['b', 'a'] },
    ]);
    expect(groups).toEqual([
      {
        ref: null,
        what: 'changed',
        fields: [
          { field: 'name', before: 'a', after: 'b' },
          { field: 'order of the layers', before: ['a', 'b'], after: ['b', 'a'] },
        ],
      },
      {
        ref: 'fetch',
        what: 'changed',
        fields: [
          { field: 'args.headers["x.y"]', before: '1', after: '2' },
          { field: 'timeoutMs', before: null, after: 9 },
        ],
      },
    ]);
  });

  it('show of a layer that came or went what it uses', () => {
    const layer = { ref: 'tell', appId: 'text-template', args: { template: 'x' }, when: null, onError: 'fail' };
    const [added] = groupChanges([{ path: 'layers.tell', before: null, after: layer }]);
    expect(added).toEqual({
      ref: 'tell',
      what: 'added',
      fields: [
        { field: 'appId', before: undefined, after: 'text-template' },
        { field: 'args', before: undefined, after: { template: 'x' } },
      ],
    });
    const [removed] = groupChanges([{ path: 'layers.tell', before: layer, after: null }]);
    expect(removed).toMatchObject({ what: 'removed', fields: [{ before: 'text-template', after: undefined }, {}] });
  });
});
