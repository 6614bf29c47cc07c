import { describe, expect, it } from 'vitest';
import { faultOfStatement, looksReadOnly, readStatement, statementFor } from './statement.js';

describe('named parameters', () => {
  it.each([
    ['select :a', 'select $1', ['a']],
    ['select :a, :b, :a', 'select $1, $2, $1', ['a', 'b']],
    ['select :a::int8', 'select $1::int8', ['a']],
    ["select ':a', :b", "select ':a', $1", ['b']],
    ["select 'it''s :a', :b", "select 'it''s :a', $1", ['b']],
    [String.raw`select E'\':a', :b`, String.raw`select E'\':a', $1`, ['b']],
    [String.raw`select '\', :b`, String.raw`select '\', $1`, ['b']],
    ['select ":a", ":a"":b", :c', 'select ":a", ":a"":b", $1', ['c']],
    ['select 1 -- :a\n, :b', 'select 1 -- :a\n, $1', ['b']],
    ['/* :a /* :b */ :c */ select :d', '/* :a /* :b */ :c */ select $1', ['d']],
    ['select $$ :a $$, $x$ :b $$ :c $x$, :d', 'select $$ :a $$, $x$ :b $$ :c $x$, $1', ['d']],
    ['select f(x := :a)', 'select f(x := $1)', ['a']],
    ['select (array[1, 2])[1:2], :a', 'select (array[1, 2])[1:2], $1', ['a']],
    ["select ':a", "select ':a", []],
    ['select /* :a', 'select /* :a', []],
    ['select a$b$:c', 'select a$b$$1', ['c']],
    ['select name\u00e9:a', 'select name\u00e9$1', ['a']],
    ["select note'\\' || :a", "select note'\\' || $1", ['a']],
  ])('%s', (statement, text, names) => {
    expect(readStatement(statement, 'postgres')).toMatchObject({ text, names });
  });

  it.each([
    ['select :a, :b, :a', 'select ?, ?, ?', ['a', 'b', 'a']],
    [String.raw`select '\':a', ":b\"", :c`, String.raw`select '\':a', ":b\"", ?`, ['c']],
    ["select 'it''s :a', `:b`, :c", "select 'it''s :a', `:b`, ?", ['c']],
    ['select 1 # :a\n, :b -- :c\n, 2--:d', 'select 1 # :a\n, ? -- :c\n, 2--?', ['b', 'd']],
    ['/* :a /* :b */ :c', '/* :a /* :b */ ?', ['c']],
    ['select @a := :a', 'select @a := ?', ['a']],
    ['select $$ :a', 'select $$ ?', ['a']],
  ])('of MySQL: %s', (statement, text, names) => {
    expect(readStatement(statement, 'mysql')).toMatchObject({ text, names });
  });

  it('takes linear time', () => {
    for (const engine of ['postgres', 'mysql'] as const)
      for (const part of ["'", '"', '/*', '$a$', '--', ':a ', '$', "e'\\", 'select ']) {
        const before = process.cpuUsage();
        readStatement(part.repeat(65_536 / part.length), engine);
        expect(process.cpuUsage(before).user, part).toBeLessThan(2_000_000);
      }
  });
});

describe('values of parameters', () => {
  const values = (statement: string, params: unknown[] | Record<string, unknown>) =>
    statementFor('postgres', statement, params, 'params').values;

  it('are in the order of their places', () => {
    expect(values('select :b, :a', { a: 1, b: null, c: 3 })).toEqual([null, 1]);
    expect(values('select $2, $1', [1, 2])).toEqual([1, 2]);
  });

  it.each([
    ['select :a', {}, /params\.a is missing/],
    ['select :a', { a: undefined }, /params\.a is missing/],
    ['select :toString', {}, /toString is missing/],
    ['select :a', [1], /an object and not a list/],
    ['select $1', { a: 1 }, /are a list/],
    ['select $1, :a', { a: 1 }, /both :a and numbered/],
  ])('of %s are refused', (statement, params, message) => {
    expect(() => values(statement, params as unknown[])).toThrow(message);
  });
});

describe('a statement', () => {
  it.each([
    ["select '{{ .a.b }}'", /program/],
    ['  ', /expected a statement/],
    ['-- nothing', /expected a statement/],
    ['COMMIT', /sql-transaction/],
    ['/* x */ rollback', /sql-transaction/],
    ['copy t to stdout', /COPY/],
    ['select \0', /code 0/],
  ])('%s is refused', (statement, why) => expect(faultOfStatement(statement)).toMatch(why));

  it.each(['# x\nrollback', '-- x\ncommit', '/*x*/ start transaction'])('of MySQL is refused: %j', (written) => {
    expect(() => statementFor('mysql', written, {}, 'params')).toThrow(/sql-transaction/);
  });

  it('that reads or writes is taken', () => {
    for (const one of ['select 1', 'insert into t values (1)', 'with a as (select 1) select * from a', 'vacuum t']) {
      expect(faultOfStatement(one)).toBeNull();
    }
  });

  it('looks as if it only reads by its first word', () => {
    expect(['SELECT 1', '/* x */ values (1)', 'show timezone'].map(looksReadOnly)).toEqual([true, true, true]);
    const writing = [
      'insert into t values (1)',
      'with a as (delete from t) select 1',
      '/*!50000 delete from t */ select 1',
    ];
    expect(writing.map(looksReadOnly)).toEqual([false, false, false]);
  });
});
