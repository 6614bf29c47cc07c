import type { FlowVersion } from '@weft/engine';
import { aLayer, aPlay, aVersion } from '@weft/testing';
import { compile, evaluate, variablesOf } from '@weft/expressions';
import { describe, expect, it, vi } from 'vitest';
import { scopeOf } from './layer-call.js';
import { prepareVersion, type ApprovalPlace, type CallBackPlace } from './prepared-version.js';

const approvers = ['ada', '{{ $prev.args.boss }}', '__proto__'];
const layers = [
  aLayer('ok', { appId: 'approval', args: { message: 'ok?', approvers } }),
  aLayer('text', { args: { template: '' } }),
  aLayer('paid', { appId: 'wait-event', args: { name: 'paid' } }),
];
const version = aVersion(layers);
const play = aPlay({ args: { who: 'ada' } });
const url = vi.fn((of: ApprovalPlace | CallBackPlace) =>
  'approver' in of ? `${of.playId}/${of.ref}/${of.approver}` : `${of.firstPlayId}/${of.ref}`,
);
const scope = (of: FlowVersion = version, by: typeof play = play) =>
  scopeOf({ play: by, prepared: prepareVersion(of, 'Acme', url), outputs: new Map() } as unknown as Parameters<
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

  it('are there likewise for call-backs, and the same in a retry', () => {
    expect(value('{{ $play.events.paid.url }}')).toBe('p/paid');
    const retry = { ...play, _id: 'q', chain: { first: 'p', nth: 1, at: new Date(0) } };
    expect(evaluate(compile('{{ $play.events.paid.url }}'), scope(version, retry), { onMissing: 'fail' })).toBe(
      'p/paid',
    );
    for (const path of ['ok.url', 'nobody.url', 'paid.other'])
      expect(() => value(`{{ $play.events.${path} }}`), path).toThrow('leads to nothing');
    expect(() => compile('{{ $play.events }}')).toThrow('followed by the ref of a wait-event layer');
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
    expect(scope({ ...version, layers: layers.slice(1, 2) }).play).not.toHaveProperty('approvals');
    expect(scope({ ...version, layers: layers.slice(1, 2) }).play).not.toHaveProperty('events');
    expect(url).not.toHaveBeenCalled();
  });
});
