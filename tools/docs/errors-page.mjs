// @ts-check
/** `docs/reference/errors.md`, from the catalogue of errors. */

/** @typedef {{ readonly status: number, readonly title: string, readonly reason?: string, readonly retryable?: boolean }} ErrorRow */

const CONTRACT = 'docs/http-api.md#17-problems'.replace('docs/', '../');
const HEAD = `# Error codes

Written by \`npm run docs\` from \`libs/kernel/src/errors.ts\`; a spec compares the two.

Every refusal of the API is \`application/problem+json\` with one of these codes in \`code\`. \`detail\` says what was wrong, where, and what to do; \`errors\` names each fault with its path.
"Again" says that the same call may succeed later (\`retryable\`). The codes of layers and plays that failed, in \`error.code\` of a play, are in [the contract](${CONTRACT}).`;

/**
 * @param {Readonly<Record<string, ErrorRow>>} errors
 * @returns {string} Markdown, its table not yet aligned
 */
export function errorsPage(errors) {
  const rows = Object.entries(errors)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, title, reason, retryable }]) => {
      const says = reason === undefined ? title : `${title} (reason "${reason}")`;
      return `| \`${code}\` | ${status} | ${says} | ${retryable === true ? 'yes' : ''} |`;
    });
  return [HEAD, '', '| code | status | means | again |', '| --- | --- | --- | --- |', ...rows].join('\n') + '\n';
}
