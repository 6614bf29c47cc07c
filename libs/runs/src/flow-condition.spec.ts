import { sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { conditionFaults, conditionHolds } from './flow-condition.js';

const MONDAY = Date.UTC(2026, 0, 5);
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
    ['{{ .fetch.total > 1 }}', /cannot read \.fetch/],
    ['{{ $prev.args.n > $item.x }}', /cannot read \$item/],
    ['on: {{ $prev.args.on }}', /nothing around it/],
  ])('finds one in %s', (when, message) => {
    const fault = { path: 'when', code: 'invalid_expression', message: expect.stringMatching(message) as string };
    expect(conditionFaults(when)).toEqual([fault]);
  });
});

describe('conditionHolds', () => {
  const vars = { on: '{{ $prev.args.on }}', off: 'false' };
  const holds = (when: string | null, args: Record<string, unknown> = {}): boolean | Promise<boolean> =>
    conditionHolds({ id: 'f1', version: 3, when, name: 'Orders', companyId: 'acme', blueprintVars: vars }, args, {
      sandbox,
      now: () => MONDAY,
    });

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

  it('computes what is more than a path', async () => {
    const large = '{{ $sum($prev.args.lines.price) >= 100 and $blueprint.off != "true" }}';
    expect(await holds(large, { lines: [{ price: 60 }, { price: 50 }] })).toBe(true);
    expect(await holds(large, { lines: [{ price: 60 }] })).toBe(false);
    expect(await holds('{{ $now("[F]") = "monday" }}')).toBe(true);
  });

  it('says no when what it compares is not there, and refuses the run when it cannot compare', async () => {
    expect(await holds('{{ $prev.args.n > 1 }}')).toBe(false);
    const refusal = { code: 'condition_failed', status: 422 };
    await expect(holds('{{ $prev.args.n > 1 }}', { n: 'many' })).rejects.toMatchObject(refusal);
    await expect(holds('{{ $error("no") }}')).rejects.toMatchObject(refusal);
  });
});
