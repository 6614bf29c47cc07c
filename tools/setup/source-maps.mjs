// Imported before a program: shows lines of our sources in stack traces. `--enable-source-maps` would also read the source maps
// of every package, which takes a tenth of a process's start.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
