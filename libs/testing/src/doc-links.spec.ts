import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name));
const PAGES = [...readdirSync(ROOT), ...docs].filter((name) => name.endsWith('.md'));

it('every link of a page to a file of the checkout leads to one', () => {
  expect(PAGES.length).toBeGreaterThan(40);
  const broken = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```.*?^```/gms, '');
    const links = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)|^\[[^\]]+\]: (\S+)$/gm)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    const files = links.filter((link) => !/^[a-z]+:/.test(link));
    return files.filter((link) => !existsSync(resolve(ROOT, dirname(page), link))).map((link) => `${page}: ${link}`);
  });
  expect(broken).toEqual([]);
});
