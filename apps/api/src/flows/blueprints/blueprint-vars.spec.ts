import type { LayerDefinition } from '@weft/engine';
import { aLayer } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { blueprintVarsOf, chooseVars } from './blueprint-vars.js';

function layer(ref: string, args: Record<string, unknown>, fields: Partial<LayerDefinition> = {}): LayerDefinition {
  return aLayer(ref, { args, ...fields });
}

const layers = [
  layer('call', { url: 'https://{{ $blueprint.host }}/', body: { n: '{{ $blueprint.size ?? 5 }}' } }),
  layer('tell', { template: '{{ $blueprint.host }} {{ $blueprint.greeting }}' }, { when: '{{ $blueprint.on }}' }),
  layer('each', { template: 'x' }, { forEach: { in: '{{ $blueprint.list }}', concurrency: 1 } }),
];
const vars = await blueprintVarsOf({ when: '{{ $blueprint.open }}', layers });

describe('blueprintVarsOf', () => {
  it('finds variables in args, conditions and lists to run over, with the layers that read them', () => {
    expect(vars).toEqual([
      { name: 'host', refs: ['call', 'tell'], needed: true },
      { name: 'size', refs: ['call'], needed: false },
      { name: 'greeting', refs: ['tell'], needed: true },
      { name: 'on', refs: ['tell'], needed: true },
      { name: 'list', refs: ['each'], needed: true },
      { name: 'open', refs: [], needed: true },
    ]);
  });

  it('reads past a layer whose expressions cannot be read', async () => {
    const broken = [layer('broken', { template: '{{ $blueprint' }), layer('good', { template: '{{ $blueprint.x }}' })];
    expect(await blueprintVarsOf({ when: null, layers: broken })).toEqual([
      { name: 'x', refs: ['good'], needed: true },
    ]);
  });
});

describe('chooseVars', () => {
  const inherited = { host: 'a', on: '1', list: '[]', open: 'yes' };

  it('puts given values over inherited ones, as they are', () => {
    const given = { host: '{{ $prev.secret }}', greeting: '' };
    expect(chooseVars(vars, inherited, given)).toEqual({ ...inherited, ...given });
  });

  it('names all that are missing, and beside them those that mean nothing', () => {
    expect(() => chooseVars(vars, {}, { hots: 'x', greeting: 'y' })).toThrow(
      expect.objectContaining({
        code: 'missing_blueprint_vars',
        message: 'These variables were not given: host, on, list, open.',
        errors: [
          expect.objectContaining({ path: 'blueprintVars.host', code: 'missing_blueprint_vars' }),
          expect.objectContaining({ path: 'blueprintVars.on' }),
          expect.objectContaining({ path: 'blueprintVars.list' }),
          expect.objectContaining({ path: 'blueprintVars.open' }),
          {
            path: 'blueprintVars.hots',
            code: 'unknown_blueprint_vars',
            message: 'the blueprint reads no variable "hots"; did you mean host?',
          },
        ],
      }),
    );
  });

  it('refuses what the blueprint does not read, also names that objects inherit', async () => {
    for (const name of ['colour', 'toString', 'constructor']) {
      expect(() => chooseVars(vars, inherited, { greeting: 'x', [name]: 'x' })).toThrow(
        expect.objectContaining({ code: 'unknown_blueprint_vars' }),
      );
    }
    const inheritedName = await blueprintVarsOf({
      when: null,
      layers: [layer('a', { template: '{{ $blueprint.toString }}' })],
    });
    expect(() => chooseVars(inheritedName, {}, {})).toThrow(
      expect.objectContaining({ code: 'missing_blueprint_vars' }),
    );
  });
});
