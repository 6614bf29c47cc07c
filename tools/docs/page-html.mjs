// A page of docs/ as the dashboard shows it (apps/dashboard/vite.config.ts): HTML, its title, and what can be found in it.
import { posix } from 'node:path';
import { Marked } from 'marked';
import { anchorOf } from '../citations.mjs';

/**
 * @typedef {object} DocsPage
 * @property {string} title its first heading
 * @property {readonly { id: string, text: string, level: number }[]} places headings; of the reference also the codes and names in its
 *   tables, whose level is 0
 * @property {readonly string[]} words of the text before the first heading, and after each place: each word once, in lower case
 * @property {string} html without the first heading; an image is `__IMAGE_<its place in images>__`
 * @property {readonly string[]} images their paths, from the page
 */

/**
 * @param {string} path of the page, from docs/
 * @param {string} text
 * @returns {DocsPage}
 */
export function readDocsPage(path, text) {
  /** @type {{ id: string, text: string, level: number }[]} */
  const places = [];
  /** @type {string[]} */
  const images = [];
  /** @type {Set<string>[]} */
  const words = [new Set()];
  /** @param {string} source */
  const say = (source) => {
    for (const word of source.toLowerCase().match(/[\p{L}\p{N}_$.-]{2,}/gu) ?? []) words.at(-1)?.add(word);
  };
  let title = path;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }) {
        const heading = plain(source);
        if (depth === 1) {
          title = heading;
          return '';
        }
        const id = anchorOf(source);
        places.push({ id, text: heading, level: depth });
        words.push(new Set());
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>`;
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        if (/^https?:/.test(href)) return `<a href="${href}" target="_blank" rel="noreferrer">${shown}</a>`;
        const address = addressOf(path, href);
        return address === null ? shown : `<a href="${address}">${shown}</a>`;
      },
      image({ href, text: alt }) {
        images.push(href);
        return `<img src="__IMAGE_${images.length - 1}__" alt="${alt}" loading="lazy">`;
      },
      table(table) {
        const rows = table.rows.map((row) => {
          const id = /^`([\w.]+)`$/.exec(row[0]?.text ?? '')?.[1];
          if (id !== undefined && path.startsWith('reference/')) {
            places.push({ id, text: id, level: 0 });
            words.push(new Set());
          }
          for (const { text: cell } of row) say(cell);
          const cells = row.map(({ tokens }) => `<td>${this.parser.parseInline(tokens)}</td>`).join('');
          return id === undefined ? `<tr>${cells}</tr>` : `<tr id="${id}">${cells}</tr>`;
        });
        const head = table.header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`).join('');
        // what scrolls must be reached by keys
        return `<div data-scroll tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
      },
      code({ text: code }) {
        say(code);
        return `<pre tabindex="0"><code>${escaped(code)}</code></pre>`;
      },
      paragraph({ tokens, text: source }) {
        say(source);
        return `<p>${this.parser.parseInline(tokens)}</p>`;
      },
      listitem(item) {
        say(item.text);
        return `<li>${this.parser.parse(item.tokens)}</li>`;
      },
      // comments for our own tools
      html: () => '',
    },
  });
  const html = /** @type {string} */ (marked.parse(text));
  return { title, places, words: words.map((each) => [...each].join(' ')), html, images };
}

/**
 * Where the dashboard has what a page links to; null for files that it does not serve.
 * @param {string} from path of the page, from docs/
 * @param {string} href
 */
export function addressOf(from, href) {
  const [file = '', anchor] = href.split('#', 2);
  const path = file === '' ? from : posix.join(posix.dirname(from), file);
  const recipe = /^examples\/recipes\/([\w-]+)\.json$/.exec(path)?.[1];
  if (recipe !== undefined) return `/flows?new=recipe&recipe=${recipe}`;
  if (path.startsWith('..') || !/(\.md|\/)$/.test(path)) return null;
  const page = path.replace(/(^|\/)(README\.md)?$|\.md$/, '');
  return `/docs${page === '' ? '' : `/${page}`}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** @param {string} source of a heading */
const plain = (source) => source.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
