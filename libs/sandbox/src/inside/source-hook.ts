// Used only where TypeScript sources run without a build: resolves an import of `./x.js` to `x.ts`.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts') === true;
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});
