// @ts-check
// Whether the lint rules find what they must: lines that break each rule of ours are written to a folder of their own, and oxlint
// refuses each of them there. And nobody turns a rule off in a comment.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NODE24, ROOT, inRoot } from './setup/root.mjs';
import { run } from './setup/run.mjs';

/** Nothing but @weft/egress opens connections: every way to open one that we know of. */
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

/** @type {Readonly<Record<string, readonly string[]>>} lines that are refused in these files */
const REFUSED = {
  'libs/layers/src/registry.ts': WAYS_OUT,
  'libs/engine/src/play.ts': [
    'export const a = Date.now();',
    'export const b = new Date();',
    'export const c = Math.random();',
    'setTimeout(() => undefined, 1);',
    "export const d: unknown = JSON.parse('1');",
    'export const e = process.env.HOME;',
    'export default 1;',
    'export enum F { G }',
    'Promise.resolve(1);',
  ],
  'libs/runs/src/accept.int.spec.ts': [
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "it.only('runs', () => { expect(1).toBe(1); });",
    "it('asserts nothing', () => undefined);",
    'await redis.flushall();',
  ],
};

/** @type {string[]} */
const passed = [];
const folder = inRoot('dist', 'lint-canary');
try {
  writeIn('oxlint.config.ts', "export { default } from '../../oxlint.config.ts';\n");
  writeIn('tsconfig.json', '{ "extends": "../../tsconfig.base.json" }\n');
  for (const [file, lines] of Object.entries(REFUSED)) writeIn(file, `${lines.join('\n')}\n`);
  const all = [inRoot('node_modules/oxlint/bin/oxlint'), '--no-ignore', '--format', 'json', ...Object.keys(REFUSED)];
  const { output } = await run(NODE24, all, { cwd: folder });
  const found = new Set(
    JSON.parse(output)
      .diagnostics.filter((/** @type {any} */ { code }) => !code.includes('no-unused-vars'))
      .flatMap((/** @type {any} */ { filename, labels }) =>
        labels.map((/** @type {any} */ { span }) => `${filename}:${span.line}`),
      ),
  );
  for (const [file, lines] of Object.entries(REFUSED)) {
    passed.push(...lines.filter((_, i) => !found.has(`${file}:${i + 1}`)).map((line) => `${file}: ${line}`));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const OFF = '(oxlint|eslint)-(disable|enable)';
const comments = grep(['-nIE', OFF, '--', '*.ts', '*.tsx', '*.mjs', '*.js', ':!tools/check-lint.mjs']);
if (passed.length > 0) console.error(`The lint rules let these lines pass:\n${passed.join('\n')}`);
if (comments !== '')
  console.error(`A rule that is wrong somewhere is changed in oxlint.config.ts, not in a comment:\n${comments}`);
if (passed.length > 0 || comments !== '') process.exit(1);

/** @param {string} name @param {string} text */
function writeIn(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** @param {readonly string[]} args @returns {string} what `git grep` finds, and nothing where it finds nothing */
function grep(args) {
  try {
    return execFileSync('git', ['grep', ...args], { cwd: ROOT, encoding: 'utf8' });
  } catch (error) {
    if (/** @type {{ status?: number }} */ (error).status === 1) return '';
    throw error;
  }
}
