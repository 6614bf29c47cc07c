// Imported before a program: lines of our sources in the traces of its errors. `--enable-source-maps` would read those of
// every package, too, a tenth of a process's start.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
