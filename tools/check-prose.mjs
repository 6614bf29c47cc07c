// The worst phrases are kept out of documents and of the comments of the folders on a list: CONTRIBUTING.md, "How the prose reads".
// Tests itself before it looks: a rule that does not find its own examples is a rule that does not work.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { proseBlocks } from './prose/blocks.mjs';
import { PROSE_RULES } from './prose/rules.mjs';
import { inRoot } from './setup/root.mjs';

/** Files and folders whose documents and comments are checked: add a folder when it has no finding left. */
const CHECKED = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'apps/api',
  'apps/realtime',
  'apps/scheduler',
  'apps/standalone',
  'apps/worker',
  'docs',
  'libs/access',
  'libs/concurrency',
  'libs/config',
  'libs/contracts',
  'libs/egress',
  'libs/engine',
  'libs/expressions',
  'libs/identity',
  'libs/json-schema',
  'libs/kernel',
  'libs/layers',
  'libs/observability',
  'libs/store',
  'libs/records',
  'libs/process',
  'libs/queue',
  'libs/realtime-bus',
  'libs/redis',
  'libs/retention',
  'libs/runs',
  'libs/shapes',
  'libs/webhooks',
  'libs/sandbox',
  'libs/testing',
  'test/api',
  'test/bench',
  'test/chaos',
  'test/e2e',
  'test/rights',
  'test/fixtures',
  'tools',
];
const PROSE = /\.(md|ts|mjs|js|cjs)$/;
const NOT_PROSE = ['tools/canary/'];

/** @returns {boolean} whether all is as it must be */
export function checkProse() {
  const broken = brokenRules();
  if (broken.length > 0) {
    console.error(`These prose rules do not work:\n${broken.join('\n')}`);
    return false;
  }
  const findings = checkedFiles().flatMap((path) => findingsIn(path, readFileSync(inRoot(path), 'utf8')));
  if (findings.length > 0) console.error(findings.join('\n'));
  return findings.length === 0;
}

function checkedFiles() {
  const files = CHECKED.flatMap((path) => {
    if (!statSync(inRoot(path)).isDirectory()) return path;
    return readdirSync(inRoot(path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name));
  });
  return files.filter((path) => PROSE.test(path) && !NOT_PROSE.some((start) => path.startsWith(start)));
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {readonly string[]}
 */
function findingsIn(path, text) {
  return proseBlocks(path, text).flatMap(({ line, lines }) => {
    const prose = lines.join('\n');
    return PROSE_RULES.flatMap(({ pattern, instead }) =>
      [...prose.matchAll(anywhere(pattern))].map(({ 0: phrase, index }) => {
        const at = line + prose.slice(0, index).split('\n').length - 1;
        return `${path}:${at}: "${phrase.replaceAll(/\s+/g, ' ').trim()}": write ${instead}`;
      }),
    );
  });
}

/** @param {RegExp} pattern */
function anywhere(pattern) {
  return new RegExp(pattern.source.replaceAll(' ', '\\s+'), `g${pattern.flags}`);
}

/** @returns {readonly string[]} */
function brokenRules() {
  const found = (/** @type {string} */ text) => findingsIn('a.md', text).length > 0;
  const deaf = PROSE_RULES.flatMap(({ wrong }) => wrong.filter((text) => !found(text)));
  const shy = PROSE_RULES.flatMap(({ right }) => right.filter((text) => found(text)));
  return [...deaf.map((text) => `lets pass: ${text}`), ...shy.map((text) => `refuses: ${text}`), ...brokenReading()];
}

/** Where prose begins and ends: each text with the number of findings that it must have. */
function brokenReading() {
  const bad = 'A reader is told.'; // prose: allow
  /** @type {readonly (readonly [string, string, number])[]} */
  const cases = [
    ['a.md', `${bad}\n\n\`\`\`\n${bad}\n\`\`\`\n`, 1],
    ['a.md', `- \`a.spec.ts\`: ${bad}`, 0],
    ['a.md', `<!-- prose: allow -->\n\n${bad}\n\n${bad}`, 1],
    ['a.ts', `const a = '${bad}';\n/** ${bad} */\n// ${bad}\nlet b; // ${bad}`, 3],
    ['a.ts', `/**\n * A reader is\n * told.\n */`, 1],
    ['a.ts', `// ${bad} prose: allow\nlet b;\n// prose: allow\n// ${bad}`, 0],
  ];
  return cases
    .filter(([path, text, count]) => findingsIn(path, text).length !== count)
    .map(([path, text, count]) => `wants ${count} in ${path}: ${text}`);
}
