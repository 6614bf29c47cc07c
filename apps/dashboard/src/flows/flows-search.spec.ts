import { describe, expect, it } from 'vitest';
import { listQuery, readFlowsSearch } from './flows-search';

describe('the filter of the list of flows', () => {
  it('is what the address says, without what cannot be a filter', () => {
    expect(readFlowsSearch({ q: 'order', show: 'paused', category: '', page: '7' })).toEqual({
      q: 'order',
      show: 'paused',
    });
    expect(readFlowsSearch({ show: 'flows', q: 3 })).toEqual({});
    expect(readFlowsSearch({ show: 'all', new: 'air', recipe: 'lock' })).toEqual({});
    expect(readFlowsSearch({ new: 'curl', recipe: 'lock' })).toEqual({ new: 'curl' });
    expect(readFlowsSearch({ new: 'recipe', recipe: 'lock' })).toEqual({ new: 'recipe', recipe: 'lock' });
  });

  it('asks for flows or blueprints, and for deleted ones of both kinds', () => {
    expect(listQuery({})).toEqual({ isBlueprint: false });
    expect(listQuery({ show: 'paused', q: 'a' })).toEqual({ isBlueprint: false, enabled: false, q: 'a' });
    expect(listQuery({ show: 'blueprints' })).toEqual({ isBlueprint: true });
    expect(listQuery({ show: 'deleted' })).toEqual({ filtered: true });
  });
});
