import { describe, expect, it } from 'vitest';
import { aLayer } from '@weft/testing';
import type { LayerDefinition } from './flow-version.js';
import { planLayers } from './layer-plan.js';

const layer = (ref: string, change: Partial<LayerDefinition> = {}): LayerDefinition =>
  aLayer(ref, { id: ref, name: ref.toUpperCase(), appId: 'call', ...change });
const kindOf = (appId: string) => (appId === 'call' ? 'effect' : appId === 'text' ? 'pure' : undefined);

describe('planLayers', () => {
  it('puts neighbours of one stage together, and nothing else', () => {
    const stages = [null, 'a', 'a', 'b', 'b', null, 'b', null, null].map((stage, i) => layer(`l${i}`, { stage }));
    expect(planLayers(stages, kindOf).map(({ stage }) => stage)).toEqual([0, 1, 1, 3, 3, 5, 6, 7, 8]);
  });

  it('records the start of effects only, and takes a module that is not known for a pure one', () => {
    const fail = { onInterrupted: 'fail' } as const;
    const layers = [layer('a', fail), layer('b', { ...fail, appId: 'text' }), layer('c', { ...fail, appId: 'new' })];
    expect(planLayers(layers, kindOf).map(({ kind, once }) => [kind, once])).toEqual([
      ['effect', true],
      ['pure', false],
      ['pure', false],
    ]);
  });

  it('keeps what decides about errors and conditions', () => {
    const retry = { attempts: 3, backoff: 'fixed', delayMs: 10, maxDelayMs: 10 } as const;
    const [plan] = planLayers([layer('a', { retry, when: '{{ .b }}', onError: 'continue' })], kindOf);
    expect(plan).toMatchObject({ ref: 'a', name: 'A', retry, conditional: true, onError: 'continue' });
  });
});
