import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressOf, readDocsPage } from '../../../../tools/docs/page-html.mjs';
import { RECIPES } from '../flows/new-flow/recipes';

const DOCS = new URL('../../../../docs/', import.meta.url);

describe('a page of the documents', () => {
  it('has its title, what can be linked to, and what is said there', () => {
    const { title, places, words, html } = readDocsPage(
      'reference/x.md',
      '# Codes <1>\n\nAll of `them`.\n\n## How to [read](../plays.md) it\n\n| code | means |\n| --- | --- |\n| `gone` | It <b>is</b> gone |\n\n<!-- ours -->\n\n```sh\na < b\n```\n',
    );
    expect(title).toBe('Codes <1>');
    expect(places).toEqual([
      { id: 'how-to-read-it', text: 'How to read it', level: 2 },
      { id: 'gone', text: 'gone', level: 0 },
    ]);
    expect(words).toEqual(['all of them', '', 'gone it is']);
    expect(html).toContain('<h2 id="how-to-read-it">How to <a href="/docs/plays">read</a> it</h2>');
    expect(html).toContain('<tr id="gone">');
    expect(html).toContain('<code>a &lt; b</code>');
    expect(html).not.toContain('ours');
  });

  it('leads to other pages, to recipes, and to nothing that is not served', () => {
    expect(addressOf('deploy/backup.md', '../flows.md#versions')).toBe('/docs/flows#versions');
    expect(addressOf('deploy/backup.md', 'README.md')).toBe('/docs/deploy');
    expect(addressOf('flows.md', '#drafts')).toBe('/docs/flows#drafts');
    expect(addressOf('README.md', 'deploy/')).toBe('/docs/deploy');
    expect(addressOf('recipes.md', 'examples/recipes/lock.json')).toBe('/flows?new=recipe&recipe=lock');
    expect([addressOf('flows.md', '../README.md'), addressOf('live.md', 'examples/watch.ts')]).toEqual([null, null]);
  });

  it('links only to what there is', () => {
    const files = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    const pages = files.map((file) => readDocsPage(file, readFileSync(new URL(file, DOCS), 'utf8')));
    const known = new Set(
      pages.flatMap(({ html }, i) => {
        const address = addressOf('README.md', files[i] ?? '') ?? '';
        const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${address}#${id}`);
        return [address, ...ids];
      }),
    );
    for (const { key } of RECIPES) known.add(`/flows?new=recipe&recipe=${key}`);
    const links = pages.flatMap(({ html }) => [...html.matchAll(/<a href="(\/[^"]+)"/g)].map(([, href = '']) => href));
    expect(links.length).toBeGreaterThan(500);
    expect(links.filter((href) => !known.has(href))).toEqual([]);
  });
});
