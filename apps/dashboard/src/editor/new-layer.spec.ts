import { describe, expect, it } from 'vitest';
import { newLayer, renamed } from './new-layer';

const request = newLayer('new-1', 'request', 'web-request', 'Web request', {});

describe('the ref of a new layer', () => {
  it('follows its name, letter by letter', () => {
    let layer = request;
    for (const name of ['P', 'Pu', 'Push 2 órders!', 'Push 2', '1 – 2', '日本', '']) {
      layer = renamed(layer, name, [layer]);
      expect(layer.name).toBe(name);
    }
    expect(renamed(request, 'Push 2 órders!', [request]).ref).toBe('push_2_orders');
    expect(layer.ref).toBe('request');
  });

  it('is free', () => {
    const other = { ...request, key: 'new-2', ref: 'push' };
    const layer = renamed(request, 'Push', [request, other]);
    expect(layer.ref).toBe('push_2');
    expect(renamed(layer, 'Push it', [layer, other]).ref).toBe('push_it');
  });

  it.each([
    ['is saved', { ...request, id: 'l1' }, []],
    ['has a ref that somebody typed', { ...request, ref: 'ask' }, []],
    ['is mentioned by another one', request, [{ ...request, key: 'new-2', ref: 'b', when: '{{ .request.json }}' }]],
  ])('stays when the layer %s', (_what, layer, others) => {
    expect(renamed(layer, 'Push', [layer, ...others])).toEqual({ ...layer, name: 'Push' });
  });
});
