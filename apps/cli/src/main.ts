import { main } from './program.js';

const code = await main(process.argv.slice(2));
// what was written must be out before the process ends; connections that are still open need not be waited for
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise<unknown>((written) => stream.write('', written))),
);
process.exit(code);
