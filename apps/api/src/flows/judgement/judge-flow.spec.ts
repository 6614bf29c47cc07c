import type { LayerDefinition } from '@weft/engine';
import { MAX_ERRORS } from '@weft/kernel';
import { readLayer } from '@weft/layers';
import { aLayer } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
import { judgementOf, withJudgement } from './flow-judgement.js';
import { judgeFlow, type JudgedFields } from './judge-flow.js';
import type { FlowDocument } from '@weft/records';

function layer(ref: string, args: Readonly<Record<string, unknown>>, fields: Partial<LayerDefinition> = {}) {
  return aLayer(ref, { args, ...fields });
}

function flowOf(layers: readonly LayerDefinition[], fields: Partial<JudgedFields> = {}): FlowDocument {
  return { when: null, isBlueprint: false, blueprintVars: null, version: 1, layers, ...fields } as FlowDocument;
}

const MANY = Array.from({ length: 200 }, (_, i) => layer(`r${i}${'e'.repeat(58)}`, { template: 'x' }));

describe('a judgement', () => {
  it('looks at errors that are read as at outputs, and at whether they can be there', async () => {
    const { valid, errors, warnings } = await judgementOf(
      flowOf([
        layer('get', { template: 'x' }),
        { ...layer('may', { template: 'x' }), onError: 'continue' },
        layer('two', { template: '{{ $errors.mai.code }} {{ $errors.get.code }} {{ $errors.may.code }}' }),
      ]),
    );
    expect(valid).toBe(false);
    expect(errors).toEqual([
      expect.objectContaining({ code: 'unknown_ref', message: 'no layer has the ref "mai"; did you mean may?' }),
    ]);
    expect(warnings['id-two']).toEqual([
      expect.objectContaining({ code: 'unknown_ref' }),
      expect.objectContaining({ path: 'args.template', code: 'no_effect' }),
    ]);
  });

  it('names what is wrong with a flow, and what is doubtful about each layer', async () => {
    const { valid, errors, warnings } = await judgementOf(
      flowOf([
        layer('get', { template: '{{ .gett.x }} {{ $blueprint.b }}' }),
        layer('two', { template: '{{ .get.text }}' }),
      ]),
    );
    expect(valid).toBe(false);
    expect(errors).toEqual([
      {
        path: 'layers.get.args.template',
        code: 'unknown_ref',
        message: 'no layer has the ref "gett"; did you mean get?',
      },
      expect.objectContaining({ path: 'layers.get', code: 'missing_blueprint_vars' }),
    ]);
    expect(warnings).toEqual({ 'id-get': [expect.objectContaining({ path: 'args.template', code: 'unknown_ref' })] });
  });

  it('counts all values that were left out of a layer, and makes paths only of those that it lists', async () => {
    const counted = { paths: 0 };
    const texts = Array.from({ length: 1_000 }, () => '[left out]');
    const withCount = Object.defineProperty(layer('mail', { texts }), 'ref', {
      get: () => {
        counted.paths += 1;
        return 'mail';
      },
    });
    const { errors } = await judgeFlow(flowOf([withCount]));
    expect(errors.found).toBeGreaterThanOrEqual(texts.length);
    const listed = errors.kept.filter(({ code }) => code === 'left_out').map(({ path }) => path);
    expect(listed).toEqual(Array.from({ length: MAX_ERRORS }, (_, n) => `layers.mail.args.texts.${n}`));
    expect(counted.paths).toBeLessThan(200);
  });

  it('finds variables that were left out of a document, unless the flow is a blueprint, whose instances have their own', async () => {
    const layers = [layer('get', { template: '{{ $blueprint.token }}' })];
    const blueprintVars = { token: '[left out]', host: 'not [left out]' };
    const { valid, errors } = await judgementOf(flowOf(layers, { blueprintVars }));
    expect(valid).toBe(false);
    expect(errors).toEqual([expect.objectContaining({ path: 'blueprintVars.token', code: 'left_out' })]);
    expect(await judgementOf(flowOf(layers, { blueprintVars, isBlueprint: true }))).toMatchObject({ valid: true });
  });

  it('looks for what was meant by a few names only, however many lead nowhere', async () => {
    const texts = [0, 1].map((n) =>
      Array.from({ length: 500 }, (_, i) => `{{.${'z'.repeat(56)}${n}x${i}.o}}`).join(''),
    );
    const bad = layer('bad', { expression: '1', input: texts }, { appId: 'transform' });
    const { errors } = await judgeFlow(flowOf([...MANY, bad]));
    expect(errors.found).toBe(1_000);
    const near = Array.from({ length: 50 }, (_, i) => `{{.r${i}${'e'.repeat(57)}f.o}}`).join('');
    const judged = await judgeFlow(flowOf([...MANY, layer('bad', { template: near })]));
    expect(judged.errors.kept.filter(({ message }) => message.includes('did you mean'))).toHaveLength(10);
  });

  it('is of bounded size, and says how much it leaves out', async () => {
    const layers = Array.from({ length: 60 }, (_, n) =>
      layer(`l${n}`, { template: Array.from({ length: 1_000 }, (_, i) => `{{.nowhere${i}.o}}`).join('') }),
    );
    const { errors, warnings, valid } = await judgementOf(flowOf(layers));
    expect([valid, errors.length]).toEqual([false, 50]);
    expect(errors.at(-1)?.message).toBe('and 59951 more');
    const listed = Object.values(warnings);
    expect(listed.flat().length).toBeLessThanOrEqual(260);
    expect(listed.map((each) => each.at(-1)?.code)).toEqual(listed.map(() => 'more'));
    expect(JSON.stringify({ errors, warnings }).length).toBeLessThan(100_000);
  });

  it('is kept where nothing of what it was made by has changed, and made anew where something has', async () => {
    const before = await withJudgement(flowOf([layer('a', { template: '{{ .gone.x }}' })]));
    const renamed = await withJudgement({ ...before, name: 'other' }, before);
    expect(renamed.judgement).toBe(before.judgement);
    const mended = await withJudgement({ ...before, layers: [layer('a', { template: 'x' })] }, before);
    expect(mended.judgement).toMatchObject({ valid: true, errors: [], warnings: {} });
    expect((await withJudgement({ ...before, when: '{{ .a.text }}' }, before)).judgement).not.toBe(before.judgement);
  });

  it('lets the process have its turn between layers', async () => {
    const heavy = Array.from({ length: 20 }, (_, i) => layer(`l${i}`, { template: '{{ 1+1 }}'.repeat(300) }));
    const turn = vi.fn();
    setImmediate(turn);
    await judgeFlow(flowOf(heavy));
    expect(turn).toHaveBeenCalled();
  });

  it('is refused for a flow that is more than one may have to parse', async () => {
    const text = `{{ ${'1+'.repeat(30_000)}1 }}`;
    const layers = Array.from({ length: 18 }, (_, i) => layer(`l${i}`, { template: text }));
    await expect(withJudgement(flowOf(layers))).rejects.toMatchObject({ code: 'invalid_expression' });
    await expect(withJudgement(flowOf(layers.slice(0, -1)), flowOf([]))).resolves.toBeDefined();
  });
});

describe('a layer', () => {
  it('is read once for all that is asked of it, and again when something in it has changed', () => {
    const one = layer('a', { template: '{{ 1+1 }}' });
    expect(readLayer(one)).toBe(readLayer({ ...one }));
    expect(readLayer({ ...one, when: '{{ .x.y }}' })).not.toBe(readLayer(one));
  });
});
