import type { FlowVersion } from '@weft/engine';
import { aLayer, aPlay, aVersion } from '@weft/testing';
import { compile, evaluate, variablesOf } from '@weft/expressions';
import { describe, expect, it, vi } from 'vitest';
import { scopeOf } from './layer-call.js';
import { prepareVersion, type ApprovalPlace } from './prepared-version.js';

const approvers = ['ada', '{{ $prev.args.boss }}', '__proto__'];
const layers = [
  aLayer('ok', { appId: 'approval', args: { message: 'ok?', approvers } }),
  aLayer('text', { args: { template: '' } }),
];
const version = aVersion(layers);
const play = aPlay({ args: { who: 'ada' } });
const url = vi.fn(({ playId, ref, approver }: ApprovalPlace) => `${playId}/${ref}/${approver}`);
const scope = (of: FlowVersion = version) =>
  scopeOf({ play, prepared: prepareVersion(of, 'Acme', url), outputs: new Map() } as unknown as Parameters<
    typeof scopeOf
  >[0]);
const value = (text: string) => evaluate(compile(text), scope(), { onMissing: 'fail' });

describe('links of approvals in expressions', () => {
  it('are there before the play waits, for whoever holds them and for each approver that is named', () => {
    expect(value('{{ $play.approvals.ok.url }}')).toBe('p/ok/null');
    expect(value('Click {{ $play.approvals.ok.for.ada }}')).toBe('Click p/ok/ada');
    expect(value('{{ $play.approvals.ok.for["ada"] }}')).toBe('p/ok/ada');
    expect(url).toHaveBeenCalledWith({ companyId: 'c', playId: 'p', ref: 'ok', approver: 'ada' });
    const rich = compile('{{ $lookup($play.approvals.ok.for, $prev.args.who) }}').rich;
    expect(variablesOf(rich, scope())).toMatchObject({ play: { approvals: { ok: { for: { ada: 'p/ok/ada' } } } } });
  });

  it('lead nowhere for other layers and for whom only a run will know', () => {
    for (const path of ['text.url', 'nobody.url', 'ok.for.boss', 'ok.other', 'ok.for.constructor']) {
      expect(() => value(`{{ $play.approvals.${path} }}`), path).toThrow('leads to nothing');
    }
    expect(() => compile('{{ $play.approvals }}')).toThrow('followed by the ref of an approval');
  });

  it('cost nothing where no expression reads one', () => {
    url.mockClear();
    expect(value('{{ $play.id }}')).toBe('p');
    expect(scope({ ...version, layers: layers.slice(1) }).play).not.toHaveProperty('approvals');
    expect(url).not.toHaveBeenCalled();
  });
});
