import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** `npm run build` and `npm start` run it; the API serves the result (`apps/api/src/pages/dashboard.ts`). */
export default defineConfig({
  root: at('.'),
  plugins: [react()],
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
    manifest: 'manifest.json',
  },
});
