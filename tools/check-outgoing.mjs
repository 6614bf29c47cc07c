// Nothing but @weft/egress opens connections: runs the lint rule over every way to open one that we know of, and the rule must refuse
// each. check.mjs runs this in a process of its own, because the packages that it imports exist only after the set-up.
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { ROOT, inRoot } from './setup/root.mjs';

/** A file of the product that may not open connections. */
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
  "import pg from 'pg';",
  "import { createConnection } from 'mysql2';",
  "import { ImapFlow } from 'imapflow';",
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
