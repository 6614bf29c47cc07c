// Nothing but @weft/egress opens connections: the lint rule over every way that we know of, each of which it must refuse. A process
// of its own, run by check.mjs: what it needs is there once the set-up is done.
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { ROOT, inRoot } from './setup/root.mjs';

/** Any file of the product that may not call out. */
const SOMEWHERE = 'libs/layers/src/registry.ts';

const WAYS_OUT = [
  "import { request } from 'undici';",
  "import * as undici from 'undici';",
  "import { request as a } from 'http';",
  "import { request as b } from 'node:http';",
  "import c from 'node:https';",
  "import { connect as d } from 'node:http2';",
  "import { connect as e, isIP } from 'node:net';",
  "import { connect as f } from 'node:tls';",
  "import { createSocket } from 'node:dgram';",
  "import { lookup } from 'node:dns';",
  "import { lookup as g } from 'node:dns/promises';",
  "import { createTransport } from 'nodemailer';",
  "export * from 'undici';",
  "export const h = await fetch('http://example.com/');",
  "export const i = await globalThis.fetch('http://example.com/');",
  "export const j = new WebSocket('ws://example.com/');",
  "export const k = new EventSource('http://example.com/');",
  "export const l = await import('node:net');",
  "export const m = await import('undici');",
  "export const n = process.getBuiltinModule('node:net');",
  "export const o = createRequire(import.meta.url)('node:net');",
  'const load = createRequire(import.meta.url);',
];

const eslint = new ESLint({ cwd: ROOT, overrideConfig: tseslint.configs.disableTypeChecked });
const results = await eslint.lintText(WAYS_OUT.join('\n'), { filePath: inRoot(SOMEWHERE) });
const messages = results.flatMap((result) => result.messages);
const refused = new Set(messages.filter(({ message }) => message.includes('@weft/egress')).map(({ line }) => line));
const open = WAYS_OUT.filter((_, i) => !refused.has(i + 1));
if (open.length > 0) {
  console.error(`The lint rule on outgoing calls lets these pass:\n${open.join('\n')}`);
  process.exit(1);
}
