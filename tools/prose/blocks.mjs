/**
 * What of a file is prose: the paragraphs of a page, the comments of a program. A block keeps the number of its first line,
 * and as many lines as the file has there, so that a finding names the right one.
 *
 * @typedef {object} ProseBlock
 * @property {number} line of its first line, from 1
 * @property {readonly string[]} lines
 */

const MARK = 'prose: allow';
const MARK_ALONE = /^\s*(<!--|\/\/) prose: allow\s*(-->)?$/;
/** Lines of `docs/security.md` that quote the title of a test. */
const QUOTED_TITLE = /^ *- `[^`]+\.spec\.ts`: /;

/**
 * @param {string} path
 * @param {string} text
 * @returns {readonly ProseBlock[]}
 */
export function proseBlocks(path, text) {
  const lines = text.split('\n');
  return blocksOf(path.endsWith('.md') ? pageLines(lines) : commentLines(lines));
}

/**
 * Neighbouring lines are a block; `null` separates blocks. A mark on a line takes that line out, a mark alone also takes out
 * the block after it.
 *
 * @param {readonly (string | null)[]} lines
 * @returns {readonly ProseBlock[]}
 */
function blocksOf(lines) {
  /** @type {{ line: number, lines: string[] }[]} */
  const blocks = [];
  /** @type {{ line: number, lines: string[] } | null} */
  let open = null;
  let allowed = false;
  lines.forEach((line, at) => {
    if (line === null || line.trim() === '') {
      if (open !== null && allowed) allowed = false;
      open = null;
      return;
    }
    if (MARK_ALONE.test(line)) {
      allowed = true;
      open = null;
      return;
    }
    if (open === null) {
      open = { line: at + 1, lines: [] };
      if (!allowed) blocks.push(open);
    }
    open.lines.push(line.includes(MARK) ? '' : line);
  });
  return blocks;
}

/**
 * Without code, quoted titles and the targets of links; each row of a table and each item of a list is a block of its own.
 *
 * @param {readonly string[]} lines
 */
function pageLines(lines) {
  let code = false;
  /** @type {(string | null)[]} */
  const prose = [];
  for (const line of lines) {
    const fence = /^\s*```/.test(line);
    if (fence) code = !code;
    prose.push(
      code || fence || QUOTED_TITLE.test(line)
        ? null
        : line.replaceAll(/`[^`]*`/g, '`…`').replaceAll(/\]\([^)]*\)/g, ']'),
    );
  }
  return prose;
}

/**
 * The comments of TypeScript and JavaScript, each without its signs. A mark alone is kept as it is.
 *
 * @param {readonly string[]} lines
 */
function commentLines(lines) {
  let inside = false;
  return lines.map((line) => {
    if (!inside && MARK_ALONE.test(line)) return line;
    const begin = inside ? 0 : line.search(/(^|\s)\/\*/);
    if (inside || begin >= 0) {
      const end = line.indexOf('*/', begin);
      inside = end < 0;
      return line
        .slice(begin, end < 0 ? undefined : end)
        .replace(/^\s*(\/\*\*?|\*)?/, '')
        .replaceAll(/`[^`]*`/g, '`…`');
    }
    const comment = /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1];
    return comment?.replaceAll(/`[^`]*`/g, '`…`') ?? null;
  });
}
