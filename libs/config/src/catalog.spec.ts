import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CATALOG } from './catalog.js';
import type { SettingEntry } from './setting-entry.js';

const PAGE = new URL('../../../docs/reference/configuration.md', import.meta.url);

/** The row that a setting must have on the page. */
function rowOf([key, entry]: [string, SettingEntry<unknown>]): string {
  const remark = entry.secret ? 'secret' : entry.changeable ? 'at run time' : '';
  const cells = [`\`${entry.env}\``, `\`${key}\``, defaultOf(entry.otherwise), entry.says, remark];
  return withoutPadding(`| ${cells.join(' | ')} |`);
}

function defaultOf(otherwise: unknown): string {
  if (typeof otherwise === 'object' && otherwise !== null && 'required' in otherwise) return 'must be given';
  const text = [otherwise].flat().join(',');
  return text === '' ? 'nothing' : `\`${text}\``;
}

function rowsOf(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map(withoutPadding);
}

function withoutPadding(row: string): string {
  return row.replace(/ +/g, ' ');
}

describe('docs/reference/configuration.md', () => {
  it('has every setting of the catalogue, with its default and meaning, in the same order, and no other', () => {
    expect(rowsOf(readFileSync(PAGE, 'utf8'))).toEqual(Object.entries(CATALOG).map(rowOf));
  });
});
