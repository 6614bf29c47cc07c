import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const lines = readFileSync(`${ROOT}docs/security.md`, 'utf8').split('\n');
const ROWS = [
  ...Array.from({ length: 25 }, (_, i) => i + 1),
  27,
  28,
  29,
  30,
  31,
  32,
  35,
  36,
  37,
  38,
  39,
  40,
  41,
  42,
  43,
  44,
  45,
].map((n) => `S${n}`);

interface Named {
  readonly row: string;
  readonly file: string;
  readonly title: string;
}

/** Every test that the page names, under its row. */
function namedTests(): Named[] {
  let row = '';
  return lines.flatMap((line) => {
    row = /^- \*\*(S\d+)\*\* /.exec(line)?.[1] ?? row;
    const [, file = '', title = ''] = /^ {2}- `([^`]+)`: (.+)$/.exec(line) ?? [];
    return file === '' ? [] : [{ row, file, title }];
  });
}

describe('docs/security.md', () => {
  const named = namedTests();

  it('shows a test for every row of the checklist on identity, access, tenancy, audit, ways out, expressions and what is told, each row once', () => {
    const rows = lines.flatMap((line) => /^- \*\*(S\d+)\*\* /.exec(line)?.[1] ?? []);
    expect(rows).toEqual(ROWS);
    expect(ROWS.filter((each) => !named.some(({ row }) => row === each))).toEqual([]);
  });

  it('names only tests that are there', () => {
    const isThere = ({ file, title }: Named): boolean => {
      const text = readFileSync(ROOT + file, 'utf8');
      return [`'`, `"`, '`'].some((quote) => text.includes(`${quote}${title}`));
    };
    expect(named.filter((test) => !isThere(test))).toEqual([]);
  });
});
