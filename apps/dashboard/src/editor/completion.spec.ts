import { describe, expect, it } from 'vitest';
import { suggestionsAt } from './completion';
import { KNOWN, LOOP } from './known.fixture';

const labels = (before: string, known = KNOWN, isProgram = false): string[] | undefined =>
  suggestionsAt(known, before, isProgram)?.options.map(({ label }) => label);

describe('what may come next', () => {
  it('is nothing outside of braces', () => {
    expect(suggestionsAt(KNOWN, 'Dear ')).toBeNull();
    expect(suggestionsAt(KNOWN, '{{ .fetch.x }} and ')).toBeNull();
    expect(labels('and .', KNOWN, true)).toEqual(['`never-ran`', 'fetch']);
  });

  it('is JSONata in a program: refs by $prev, and a name with a hyphen is no difference', () => {
    expect(labels('[$prev.fe', KNOWN, true)).toContain('fetch');
    expect(labels('[$prev.args.order.lines[s', KNOWN, true)).toEqual(['sku']);
    expect(labels('$sum(', KNOWN, true)?.slice(0, 3)).toEqual(['$prev.`never-ran`', '$prev.fetch', '$prev.args']);
  });

  it('is a ref, an argument or a variable', () => {
    expect(labels('{{ ')).toEqual([
      '.never-ran',
      '.fetch',
      '$prev.args',
      '$prev',
      '$play.id',
      '$play.trigger',
      '$play.idempotencyKey',
      '$play.scheduledFor',
      '$play.acceptedAt',
      '$play.labels',
      '$flow.name',
      '$flow.id',
      '$flow.key',
      '$flow.version',
      '$company.name',
      '$errors',
    ]);
    expect(labels('{{ $i', LOOP)?.slice(0, 2)).toEqual(['$item', '$index']);
    expect(labels('{{ $prev.')).toEqual(['args', 'never-ran', 'fetch']);
  });

  it('is a field that the last play had, with its value', () => {
    expect(suggestionsAt(KNOWN, 'Dear {{ .fetch.json.to')).toEqual({
      from: 'Dear {{ .fetch.json.'.length,
      options: [
        { label: 'total', detail: '12', goesOn: false },
        { label: 'none', detail: 'null', goesOn: false },
      ],
    });
    expect(labels('{{ $prev.args.order.')).toEqual(['id', '`odd name`', 'lines', 'note']);
    expect(labels('{{ $prev.args.order.lines[0].')).toEqual(['sku']);
    expect(labels('{{ 2 * .fetch.json.')).toEqual(['total', 'none']);
  });

  it('is the error of a layer after which the play goes on', () => {
    expect(labels('{{ $errors.')).toEqual(['fetch']);
    expect(labels('{{ $errors.fetch.')).toEqual(['code', 'message', 'attempts', 'statusCode', 'item']);
    expect(labels('{{ ', { ...KNOWN, refs: KNOWN.refs.filter(({ mayFail }) => !mayFail) })).not.toContain('$errors');
  });

  it('is a field that the module describes, where no play tells', () => {
    expect(suggestionsAt(KNOWN, '{{ .never-ran.')?.options).toEqual([
      { label: 'text', detail: 'string', goesOn: false },
      { label: 'tree', detail: '', goesOn: true },
    ]);
    const fields = ['name', 'of', 'branches'];
    expect(labels('{{ .never-ran.tree.')).toEqual(fields);
    expect(labels(`{{ .never-ran.tree${'.branches[0]'.repeat(50)}.`)).toEqual(fields);
    expect(labels('{{ .never-ran.tree.of.')).toEqual(['a', 'b']);
    expect(labels('{{ .never-ran.tree.branches.')).toEqual(['[0]', ...fields.map((name) => `[0].${name}`)]);
    expect(labels('{{ .never-ran.tree.name.')).toEqual([]);
  });
});

describe('what may come next in a loop, or after a list', () => {
  it('is what the first item has, and what the schema says of items', () => {
    expect(labels('{{ $item.', LOOP)).toEqual(['id', 'tags', 'note']);
    expect(suggestionsAt(LOOP, '{{ $item.i')?.options[0]).toEqual({ label: 'id', detail: '"a"', goesOn: false });
    const [unknown] = [...LOOP.variables].map(([name, variable]) => [name, { ...variable, value: undefined }] as const);
    const variables = new Map(unknown && [unknown]);
    expect(labels('{{ $item.', { ...LOOP, variables })).toEqual(['id', 'note']);
  });

  it('is of a trigger what arrived, and nothing that is not there yet', () => {
    const hook = { says: 'what arrived', shape: { properties: { query: {} } }, value: { body: { type: 'paid' } } };
    const known = { ...KNOWN, variables: new Map([['$hook', hook]]) };
    expect(labels('{{ ', known)).toEqual(['$hook']);
    expect(labels('{{ $hook.', known)).toEqual(['body', 'query']);
    expect(labels('{{ $hook.body.', known)).toEqual(['type']);
  });

  it('is its first item, in the place of the dot or the bracket', () => {
    expect(suggestionsAt(KNOWN, '{{ $prev.args.order.lines.')).toEqual({
      from: '{{ $prev.args.order.lines'.length,
      options: [
        { label: '[0]', detail: '{1}', goesOn: true },
        { label: '[0].sku', detail: '"tea"', goesOn: false },
      ],
      isWhole: true,
    });
    for (const text of ['{{ $prev.args.order.lines[', '{{ $prev.args.order.lines[1']) {
      expect(suggestionsAt(KNOWN, text)).toMatchObject({ from: '{{ $prev.args.order.lines'.length, isWhole: true });
    }
    expect(labels('{{ $item.tags[', LOOP)).toEqual(['[0]']);
    expect(labels('{{ .fetch.json[')).toBeUndefined();
  });

  it('begins with what the flow reads already, and with the layer that is nearest', () => {
    expect(labels('{{ ')?.slice(0, 2)).toEqual(['.never-ran', '.fetch']);
    const used = new Map([
      ['.fetch', 3],
      ['.fetch.json', 3],
      ['.args', 1],
    ]);
    expect(labels('{{ ', { ...KNOWN, used })?.slice(0, 3)).toEqual(['.fetch', '$prev.args', '.never-ran']);
    expect(labels('{{ .fetch.', { ...KNOWN, used })).toEqual(['json', 'statusCode']);
    expect(labels('{{ $prev.fetch.', { ...KNOWN, used })).toEqual(['json', 'statusCode']);
  });
});
