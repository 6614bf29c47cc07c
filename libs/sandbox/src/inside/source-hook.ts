// Used only where TypeScript sources run without a build: resolves an import of `./x.js` to `x.ts`, and of a library to its index.
import { registerHooks } from 'node:module';

const LIBRARIES = new URL('../../../', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const library = /^@weft\/([a-z-]+)$/.exec(specifier)?.[1];
    if (library !== undefined) return next(new URL(`${library}/src/index.ts`, LIBRARIES).href, context);
    const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts') === true;
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
