// Every page, section, row and ADR that a tracked file cites exists: over the code, and over the canary, whose faults must all be found.
import { readFileSync } from 'node:fs';
import { run } from './setup/run.mjs';
import { ROOT, inRoot } from './setup/root.mjs';
import { faultyCitations, readPage } from './citations.mjs';

const TEXT = /\.(ts|mjs|cjs|js|md|json|yaml|yml|lua|html)$/;
/** Files of others, and what quotes faults or pages that it makes up. */
const LEFT_OUT =
  /^(package-lock\.json|test\/api\/openapi-3\.1\.schema\.json|tools\/(check-)?citations\.mjs|tools\/check-prose\.mjs|apps\/dashboard\/src\/docs\/page-html\.spec\.ts)$/;

const CANARY_PAGE = '# A page\n\n## 1. One\n\n### 1.2 Two\n\n## Third thing\n\n- **I1** a row\n';
/** @type {readonly string[]} */
const SINGS = [
  '// see docs/gone.md',
  '// docs/page.md §2',
  '// docs/page.md §1.3',
  '// docs/page.md §1 and §9',
  '// protocol §1',
  '// the contract’s §1',
  '// specification §5.4',
  '// the names of the specification',
  '// (§1)',
  '// docs/page.md I2',
  '// docs/page.md I1, I7',
  '// ADR 99',
  '// ADR 1, 98',
  '[a](docs/page.md#fourth)',
  '[protocol §1](docs/nowhere.md)',
];
/** @type {readonly string[]} */
const IS_SILENT = [
  '// docs/page.md §1, §1.2 and docs/page.md I1',
  "const at = new URL('../docs/page.md', import.meta.url);",
  '// RFC 8259 §8.1, and the Fetch standard (§4.4)',
  '// ADR 1; see docs/page.md\n// §1.2 as well',
  '[§9 of it](docs/page.md#third-thing), https://example.com/other.md',
];

/** @returns {Promise<boolean>} whether all is as it must be */
export async function checkCitations() {
  const wrong = canaryFaults();
  for (const one of wrong) console.error(`The check of citations does not work: ${one}`);
  const { output } = await run('git', ['ls-files', '-z'], { cwd: ROOT });
  const files = output.split('\0').filter((file) => file !== '');
  const library = libraryOf(new Set(files), (file) => readFileSync(inRoot(file), 'utf8'));
  const faults = files
    .filter((file) => TEXT.test(file) && !LEFT_OUT.test(file))
    .flatMap((file) =>
      faultyCitations(file, readFileSync(inRoot(file), 'utf8'), library).map(
        ({ line, says }) => `${file}:${line}: ${says}`,
      ),
    );
  for (const fault of faults) console.error(fault);
  return wrong.length === 0 && faults.length === 0;
}

/**
 * @param {ReadonlySet<string>} files
 * @param {(file: string) => string} read
 * @returns {import('./citations.mjs').Library}
 */
function libraryOf(files, read) {
  /** @type {Map<string, import('./citations.mjs').Page>} */
  const pages = new Map();
  const decisions = [...files].flatMap((file) => /^docs\/adr\/(\d+)-/.exec(file)?.[1] ?? []);
  return {
    has: (path) => files.has(path),
    decisions: new Set(decisions.map(Number)),
    page: (path) => {
      const page = pages.get(path) ?? readPage(read(path));
      pages.set(path, page);
      return page;
    },
  };
}

/** Lines with a fault that is not found, and lines without one in which something is found. */
function canaryFaults() {
  const library = libraryOf(new Set(['docs/page.md', 'docs/adr/0001-one.md']), () => CANARY_PAGE);
  const found = (/** @type {string} */ text) => faultyCitations('src/canary.ts', text, library);
  return [
    ...SINGS.filter((text) => found(text).length === 0).map((text) => `nothing is found in "${text}"`),
    ...IS_SILENT.flatMap((text) => found(text).map(({ says }) => `in "${text}" is found: ${says}`)),
  ];
}
