// What a text cites, and what is wrong with it: pages that are not tracked, sections, rows and decisions that do not exist.
import { posix } from 'node:path';

/**
 * @typedef {object} Page
 * @property {ReadonlySet<string>} sections numbers of its headings: "1", "1.8"
 * @property {ReadonlySet<string>} anchors its headings, as links name them
 * @property {ReadonlySet<string>} rows "I5", "S33": entries that begin with their number
 */

/**
 * @typedef {object} Library
 * @property {(path: string) => boolean} has whether a file with this path from the root is tracked
 * @property {(path: string) => Page} page of a tracked .md file
 * @property {ReadonlySet<number>} decisions numbers of the ADRs
 */

/** A document by a word in place of its file. */
const NAMELESS =
  /\b(?:contract|protocol|specification|design|reliability|architecture)(?:['’]s)? §|\bthe specification\b/gi;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const DECISIONS = /\bADRs? (\d+(?:(?:, | and |, and )\d+)*)/g;
/** What a "§" can belong to, and the "§" itself. */
const TOKEN =
  /(?<file>[\w./-]*\w\.md\b)(?:#(?<anchor>[\w-]+))?|(?<outside>RFC \d+|standard)|§(?<section>\d+(?:\.\d+)*)?/g;
const ROWS = /([\w./-]*\w\.md) ((?:[ISF]\d+)(?:(?:, | and )[ISF]\d+)*)/g;

/** @param {string} text of a page */
export function readPage(text) {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.trim());
  return {
    sections: new Set(headings.flatMap((heading) => /^(\d+(?:\.\d+)*)\.? /.exec(heading)?.[1] ?? [])),
    anchors: new Set(headings.map(anchorOf)),
    rows: new Set([...text.matchAll(/^- \*\*([ISF]\d+)\*\* /gm)].map(([, row = '']) => row)),
  };
}

/** @param {string} heading */
export function anchorOf(heading) {
  const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

/**
 * @param {string} path of the text, from the root
 * @param {string} text
 * @param {Library} library
 * @returns {{ line: number, says: string }[]}
 */
export function faultyCitations(path, text, library) {
  /** What the line before cited last: a sentence may go on. */
  let before = path.endsWith('.md') ? path : null;
  return text.split('\n').flatMap((line, i) => {
    const { says, cited } = faultsOfLine(path, line, before, library);
    before = path.endsWith('.md') ? path : cited;
    return says.map((one) => ({ line: i + 1, says: one }));
  });
}

/**
 * @param {string} path
 * @param {string} raw
 * @param {string | null} before
 * @param {Library} library
 */
function faultsOfLine(path, raw, before, library) {
  const line = raw.replace(LINK, '$1').replace(/\bhttps?:\/\/\S+/g, '');
  /** @type {string[]} */
  const says = [...line.matchAll(NAMELESS)].map(([name]) => `"${name}…" names no file`);
  const known = new Set(says);
  let cited = known.size > 0 ? 'outside' : before;
  for (const { groups = {} } of line.matchAll(TOKEN)) {
    const { file, anchor, outside, section } = groups;
    if (file !== undefined) {
      const found = placeOf(path, file, library);
      if (found === null) says.push(`${file} is not tracked`);
      else if (anchor !== undefined && !library.page(found).anchors.has(anchor))
        says.push(`${found} has no heading #${anchor}`);
      cited = found ?? 'outside';
    } else if (outside !== undefined) cited = 'outside';
    else if (cited === null) says.push('a § that belongs to no file');
    else if (cited !== 'outside' && !library.page(cited).sections.has(section ?? ''))
      says.push(`${cited} has no §${section ?? ''}`);
  }
  for (const [, file = '', rows = ''] of line.matchAll(ROWS)) {
    const found = placeOf(path, file, library);
    for (const row of rows.split(/, | and /))
      if (found !== null && !library.page(found).rows.has(row)) says.push(`${found} has no ${row}`);
  }
  for (const [, numbers = ''] of line.matchAll(DECISIONS))
    for (const number of numbers.split(/\D+/).filter((one) => one !== ''))
      if (!library.decisions.has(Number(number))) says.push(`there is no ADR ${number}`);
  return { says, cited: cited === 'outside' ? null : cited };
}

/**
 * From the root, or from the folder of the text that cites it.
 *
 * @param {string} path
 * @param {string} file
 * @param {Library} library
 */
function placeOf(path, file, library) {
  const near = posix.join(posix.dirname(path), file);
  return [near, file].find((one) => library.has(one)) ?? null;
}
