import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** `numbered('S', 1, 3)` = S1, S2, S3. */
const numbered = (letter: string, from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${letter}${from + i}`);

const PAGES = [
  {
    page: 'docs/security.md',
    rows: [
      ...numbered('S', 1, 25),
      ...numbered('S', 27, 32),
      ...numbered('S', 35, 45),
      ...['S51', 'S52', 'S53', 'S54'],
    ],
  },
  {
    page: 'docs/reliability.md',
    rows: [
      ...[...numbered('I', 1, 18), ...numbered('I', 29, 35), ...numbered('I', 19, 28)],
      ...numbered('F', 1, 22),
      ...numbered('F', 24, 26),
      ...['S26', 'S33', 'S34', 'S46', 'S47', 'S49', 'S50'],
    ],
  },
];

const ROW = /^- \*\*([SIF]\d+)\*\* /;

interface Named {
  readonly row: string;
  readonly file: string;
  readonly title: string;
}

/** Every test that the page names, under its row. */
function namedTests(lines: readonly string[]): Named[] {
  let row = '';
  return lines.flatMap((line) => {
    row = ROW.exec(line)?.[1] ?? row;
    const [, file = '', title = ''] = /^ {2}- `([^`]+)`: (.+)$/.exec(line) ?? [];
    return file === '' ? [] : [{ row, file, title }];
  });
}

describe.each(PAGES)('$page', ({ page, rows }) => {
  const lines = readFileSync(ROOT + page, 'utf8').split('\n');
  const named = namedTests(lines);

  it('shows a test for every row of its lists, each row once', () => {
    expect(lines.flatMap((line) => ROW.exec(line)?.[1] ?? [])).toEqual(rows);
    expect(rows.filter((each) => !named.some(({ row }) => row === each))).toEqual([]);
  });

  it('names only tests that are there', () => {
    const isThere = ({ file, title }: Named): boolean => {
      const text = readFileSync(ROOT + file, 'utf8');
      return [`'`, `"`, '`'].some((quote) => text.includes(`${quote}${title}`));
    };
    expect(named.filter((test) => !isThere(test))).toEqual([]);
  });
});
