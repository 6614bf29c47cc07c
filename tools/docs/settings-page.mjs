// @ts-check
/** The table of `docs/reference/configuration.md` and the whole of `.env.example`, from the catalogue of settings. */

/**
 * @typedef {{ readonly env: string, readonly says: string, readonly otherwise: unknown, readonly secret?: true, readonly changeable?: true }} Setting
 * @typedef {Readonly<Record<string, Setting>>} Settings
 */

const BEGIN = '<!-- written by `npm run docs` from libs/config/src/catalog.ts -->';
const END = '<!-- end of what is written -->';

/**
 * @param {string} page as it is: what is around the table stays
 * @param {Settings} settings
 * @returns {string} Markdown, its table not yet aligned
 */
export function settingsPage(page, settings) {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the page of settings needs the lines ${BEGIN} and ${END}`);
  const rows = Object.entries(settings).map(([key, setting]) => row(key, setting));
  const table = ['| environment | key | default | meaning | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n\n${page.slice(to)}`;
}

/** @param {Settings} settings */
export function envExample(settings) {
  /** @type {Map<string, string[]>} */
  const sections = new Map();
  for (const [key, setting] of Object.entries(settings)) {
    const section = key.slice(0, key.indexOf('.'));
    sections.set(section, [...(sections.get(section) ?? []), line(setting)]);
  }
  const parts = [...sections].map(([section, lines]) => `# --- ${section} ---\n\n${lines.join('\n\n')}`);
  return `${ENV_HEAD}\n${parts.join('\n\n')}\n`;
}

const ENV_HEAD = `# Every setting of the processes with its default. Written by \`npm run docs\`; docs/reference/configuration.md says more.
# Lines without "#" are required, except with \`npm start\`, which generates them. WEFT_CONFIG may name a YAML file instead,
# and for a secret NAME, NAME_FILE may name a file that contains it.
`;

/** @param {string} key @param {Setting} setting */
function row(key, { env, says, otherwise, secret, changeable }) {
  const remark = secret ? 'secret' : changeable ? 'at run time' : '';
  const text = textOf(otherwise);
  const shown = mustBeGiven(otherwise) ? 'required' : text === '' ? 'empty' : `\`${text}\``;
  return `| \`${env}\` | \`${key}\` | ${shown} | ${says} | ${remark} |`;
}

/** @param {Setting} setting */
function line({ env, says, otherwise, secret }) {
  const remark = secret ? ' Secret.' : '';
  if (!mustBeGiven(otherwise)) return `# ${says}${remark}\n#${env}=${textOf(otherwise)}`;
  const { required } = otherwise;
  // an example may be a sentence instead of a value; it must not become one
  return required.includes(' ')
    ? `# ${says}${remark} Write ${required}.\n${env}=`
    : `# ${says}${remark}\n${env}=${required}`;
}

/** @param {unknown} otherwise */
function textOf(otherwise) {
  return mustBeGiven(otherwise) ? '' : [otherwise].flat().join(',');
}

/** @param {unknown} otherwise @returns {otherwise is { readonly required: string }} */
function mustBeGiven(otherwise) {
  return typeof otherwise === 'object' && otherwise !== null && 'required' in otherwise;
}
