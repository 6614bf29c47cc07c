import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { readDocsPage } from '../../tools/docs/page-html.mjs';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A page of docs/ is a module: its HTML; with `?places` its title and what has an address in it, with `?words` what is said there. */
const docs: Plugin = {
  name: 'docs',
  enforce: 'pre',
  load: {
    filter: { id: /\.md(\?(places|words))?$/ },
    async handler(id) {
      const [file = '', query] = id.split('?');
      const { title, places, words, html, images } = readDocsPage(
        relative(at('../../docs'), file),
        await readFile(file, 'utf8'),
      );
      if (query === 'words') return `export default ${JSON.stringify(words)};`;
      if (query !== undefined) return `export default ${JSON.stringify({ title, places })};`;
      const imports = images.map((image, i) => `import image${i} from ${JSON.stringify(`./${image}`)};`);
      const code = JSON.stringify(html).replaceAll(/__IMAGE_(\d+)__/g, (_, i: string) => `" + image${i} + "`);
      return [...imports, `export default ${code};`].join('\n');
    },
  },
};

/** `npm run build` and `npm start` run it; the API serves the result (`apps/api/src/pages/dashboard.ts`). */
export default defineConfig({
  root: at('.'),
  plugins: [docs, react()],
  resolve: {
    alias: ['access', 'contracts', 'kernel'].map((lib) => ({
      find: `@weft/${lib}`,
      replacement: at(`../../libs/${lib}/src/index.ts`),
    })),
  },
  html: { cspNonce: '__WEFT_NONCE__' },
  build: {
    outDir: at('../../dist/apps/dashboard'),
    emptyOutDir: true,
    target: 'es2023',
    // an inlined file would need a `data:` source in the policy of the page
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // of a page that is opened, what it shares with others is there already: a link for each of its files would only cost time
    modulePreload: { resolveDependencies: (_file, files, { hostType }) => (hostType === 'html' ? files : []) },
    manifest: 'manifest.json',
  },
});
