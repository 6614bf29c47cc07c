import { compile, evaluate, type ExpressionScope } from '@weft/expressions';
import { describe, expect, it } from 'vitest';
import { LayerFailure, type LayerContext } from '../../layer-module.js';
import { textTemplate } from './text-template.layer.js';

const SCOPE: ExpressionScope = {
  layers: new Map<string, unknown>([['fetch', { json: { id: 7, tags: ['a'] }, body: '{{ $play.id }}', none: null }]]),
  args: { name: 'Ada' },
  blueprint: {},
  play: { id: 'p' },
  flow: { id: 'f1', name: 'f', key: null, version: 3 },
  company: { name: 'c' },
};

const render = (template: unknown, maxOutputBytes = 1_000): unknown =>
  textTemplate.run(textTemplate.argsSchema.parse(evaluate(compile({ template }), SCOPE)), {
    maxOutputBytes,
  } as LayerContext);

describe('text-template', () => {
  it.each<[unknown, string]>([
    ['Hello {{ $prev.args.name }}!', 'Hello Ada!'],
    ['{{ .fetch.json.id }}', '7'],
    ['{{ .fetch.json }}', '{"id":7,"tags":["a"]}'],
    ['{{ .fetch.none }}', ''],
    ['{{ .fetch.body }}', '{{ $play.id }}'],
    [{ id: '{{ .fetch.json.id }}', tags: '{{ .fetch.json.tags }}' }, '{"id":7,"tags":["a"]}'],
    ['', ''],
    [true, 'true'],
  ])('makes %j a text', (template, text) => {
    expect(render(template)).toEqual({ text });
  });

  it('fails rather than cut', () => {
    expect(render('é'.repeat(5), 10)).toEqual({ text: 'ééééé' });
    expect(() => render('é'.repeat(5), 9)).toThrow(
      expect.objectContaining({ constructor: LayerFailure, code: 'output_too_large' }),
    );
  });

  it('is pure, so that a crash may have it computed again', () => {
    expect(textTemplate.effect).toBe('pure');
  });
});
