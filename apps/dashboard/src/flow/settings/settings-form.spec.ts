import { describe, expect, it } from 'vitest';
import type { Flow } from '../queries';
import { changedFields, formOf, patchOf } from './settings-form';

const FLOW = {
  name: 'Orders',
  category: '',
  description: '',
  isBlueprint: false,
  when: null,
  settings: { concurrency: null, timeoutMs: 90_000, onMissing: 'fail', maxOutputBytes: null, labels: { shop: 'eu' } },
} as unknown as Flow;

describe('the settings of a flow as a form', () => {
  const before = formOf(FLOW);

  it('send what was changed and nothing else', () => {
    expect(patchOf(before, before)).toEqual({});
    const now = {
      ...before,
      name: ' Intake ',
      key: ' intake ',
      when: '{{ $prev.args.ok }}',
      concurrency: 3,
      timeoutSeconds: '' as const,
    };
    expect(patchOf(before, now)).toEqual({
      name: 'Intake',
      key: 'intake',
      when: '{{ $prev.args.ok }}',
      settings: { concurrency: 3, timeoutMs: null },
    });
    expect(changedFields(before, now)).toEqual(['name', 'key', 'when', 'concurrency', 'timeoutSeconds']);
    const concurrency = { limit: 3, key: '{{ $prev.args.id }}' };
    expect(patchOf(now, { ...now, limitKey: ' {{ $prev.args.id }} ' })).toEqual({ settings: { concurrency } });
  });

  it('replace the labels as a whole', () => {
    expect(patchOf(before, { ...before, labels: 'shop=us\nkind=b2b' })).toEqual({
      settings: { labels: { shop: 'us', kind: 'b2b' } },
    });
  });

  it('have the schema of the args as JSON, and new values of variables alone', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    const set = formOf({ ...FLOW, argsSchema: schema });
    expect(patchOf(before, { ...before, argsSchema: set.argsSchema })).toEqual({ argsSchema: schema });
    expect(patchOf(set, { ...set, argsSchema: ' ' })).toEqual({ argsSchema: null });
    expect(patchOf(before, { ...before, argsSchema: '{ "type": ' })).toBeNull();
    expect(patchOf(before, { ...before, blueprintVars: '{"host":"a"}' })).toEqual({ blueprintVars: { host: 'a' } });
  });

  it('take a lane away with an empty field', () => {
    expect(patchOf(before, { ...before, priority: 5 })).toEqual({ settings: { priority: 5 } });
    expect(patchOf({ ...before, priority: 5 }, { ...before, priority: '' })).toEqual({ settings: { priority: null } });
    expect(patchOf(before, { ...before, lane: ' c-{{ $prev.args.id }} ', onLaneFail: 'stop' })).toEqual({
      settings: { lane: 'c-{{ $prev.args.id }}', onLaneFail: 'stop' },
    });
    expect(patchOf({ ...before, lane: 'x' }, before)).toEqual({ settings: { lane: null } });
  });

  it('are not sent while a field has a fault', () => {
    expect(patchOf(before, { ...before, labels: 'shop' })).toBeNull();
    expect(patchOf(before, { ...before, name: ' ' })).toBeNull();
  });
});
