import { describe, expect, it } from 'vitest';
import { blueprintReads } from './blueprint-reads.js';
import { compile } from './compile.js';

const readsOf = (value: unknown) => blueprintReads(compile(value));

describe('blueprintReads', () => {
  it('finds variables in whole expressions, in texts, lists and objects, in order', () => {
    const value = {
      url: 'https://{{ $blueprint.host }}/{{ .fetch.path }}/{{ $blueprint.host }}',
      list: ['{{ $blueprint["a name"] }}', { deep: '{{ $blueprint.depth ?? 3 }}' }],
    };
    expect(readsOf(value)).toEqual([
      { name: 'host', path: 'url', hasFallback: false },
      { name: 'host', path: 'url', hasFallback: false },
      { name: 'a name', path: 'list.0', hasFallback: false },
      { name: 'depth', path: 'list.1.deep', hasFallback: true },
    ]);
  });

  it('takes the first part of a longer path for the name', () => {
    expect(readsOf('{{ $blueprint.a.b }}')).toEqual([{ name: 'a', path: '', hasFallback: false }]);
  });

  it('finds none where none are read', () => {
    expect(
      readsOf({ a: '{{ $blueprint }}', b: '{{ .blueprint.x }}', c: '$blueprint.x', d: '{{ "$blueprint.x" }}' }),
    ).toEqual([]);
  });
});
