// @ts-check
// Loaded by `npm run docs`: lets Node import the TypeScript sources of libs directly, including their imports of each other.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

const LIBS = new URL('../../libs/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@weft/')) return next(new URL(`${specifier.slice(6)}/src/index.ts`, LIBS).href, context);
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
      const typed = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(typed)) return next(typed.href, context);
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(LIBS.href) || !url.endsWith('.ts')) return next(url, context);
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'), { mode: 'transform' });
    return { format: 'module', source, shortCircuit: true };
  },
});

/** @param {string} file of a lib, without extension, e.g. `config/src/catalog` */
export const source = (file) => import(new URL(`${file}.ts`, LIBS).href);
