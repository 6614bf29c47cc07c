import { describe, expect, it } from 'vitest';
import { conditionFaults, conditionHolds } from './flow-condition.js';

describe('conditionFaults', () => {
  it.each([null, 'true', '{{ $prev.args.on }}', '{{ $blueprint.on ?? false }}', '{{ $flow.name }}', '{{ "x" }}'])(
    'finds none in %s',
    (when) => {
      expect(conditionFaults(when)).toEqual([]);
    },
  );

  it.each([
    ['{{ .fetch.ok }}', /cannot read \.fetch\.ok/],
    ['{{ $company.name }}', /cannot read \$company\.name/],
    ['{{ $play.id }}', /cannot read \$play\.id/],
    ['{{ $item.x }}', /cannot read \$item\.x/],
    ['{{ $prev.args.on', /ends with/],
    ['on: {{ $prev.args.on }}', /nothing around it/],
  ])('finds one in %s', (when, message) => {
    const fault = { path: 'when', code: 'invalid_expression', message: expect.stringMatching(message) as string };
    expect(conditionFaults(when)).toEqual([fault]);
  });
});

describe('conditionHolds', () => {
  const holds = (when: string | null, args: Record<string, unknown> = {}): boolean =>
    conditionHolds({ when, name: 'Orders', blueprintVars: { on: '{{ $prev.args.on }}', off: 'false' } }, args);

  it('says yes without a condition, and what its value means with one', () => {
    expect([holds(null), holds('true'), holds('false')]).toEqual([true, true, false]);
    expect([holds('{{ $prev.args.on }}', { on: 1 }), holds('{{ $prev.args.on }}', { on: 0 })]).toEqual([true, false]);
    expect(holds('{{ $flow.name }}')).toBe(true);
  });

  it('says no when what it reads is not there, unless it says otherwise', () => {
    expect([holds('{{ $prev.args.on }}'), holds('{{ $prev.args.on ?? true }}')]).toEqual([false, true]);
  });

  it('takes a variable for a text, whatever stands in it', () => {
    expect([holds('{{ $blueprint.on }}', { on: false }), holds('{{ $blueprint.off }}')]).toEqual([true, false]);
  });
});
