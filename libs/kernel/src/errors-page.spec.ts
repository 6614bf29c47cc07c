import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorsPage } from '#tools/docs/errors-page.mjs';
import { ERRORS } from './errors.js';

/** Without the white space that the formatter adds for alignment. */
function bare(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));
}

describe('docs/reference/errors.md', () => {
  it('is what the catalogue says: `npm run docs` writes it', () => {
    const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
    expect(bare(page)).toEqual(bare(errorsPage(ERRORS)));
  });
});
