/** RSS 2.0, RSS 1.0 and Atom 1.0 as items. A peer may be anybody: nothing is taken for granted. */
import { textContent } from 'domutils';
import { DomHandler, Parser, type ParserOptions } from 'htmlparser2';
import { createHash } from 'node:crypto';

/** One entry of a feed. Texts are as the feed has them: `summary` and `content` are often HTML. */
export interface FeedItem {
  readonly id: string;
  readonly title: string | null;
  readonly link: string | null;
  readonly author: string | null;
  /** ISO 8601; null: it has none that can be read. */
  readonly published: string | null;
  readonly updated: string | null;
  readonly summary: string | null;
  readonly content: string | null;
  readonly categories: readonly string[];
  readonly enclosures: readonly Enclosure[];
}

interface Enclosure {
  readonly url: string;
  readonly type: string | null;
  readonly bytes: number | null;
}

/** It is not a feed, or has more than a feed may have. */
export class FeedUnreadable extends Error {
  override readonly name = 'FeedUnreadable';
}

type Handler = ConstructorParameters<typeof DomHandler>;
type Child = DomHandler['root']['children'][number];
type Element = Extract<Child, { readonly attribs: unknown }>;

/** Feeds have about six levels. Deeper ones would exhaust the stack of whoever walks them. */
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 100_000;
const MAX_ITEMS = 1_000;
const MAX_LIST = 50;
/** Entities of a document type are not read: only those of XML are known. */
const OPTIONS: ParserOptions = { xmlMode: true };

class BoundedDom extends DomHandler {
  private depth = 0;
  private elements = 0;

  constructor() {
    super(...([undefined, OPTIONS] as unknown as Handler));
  }

  override onopentag(name: string, attribs: Record<string, string>): void {
    if ((this.depth += 1) > MAX_DEPTH) throw new FeedUnreadable(`The feed has more than ${MAX_DEPTH} levels.`);
    if ((this.elements += 1) > MAX_ELEMENTS)
      throw new FeedUnreadable(`The feed has more than ${MAX_ELEMENTS} elements.`);
    super.onopentag(name, attribs);
  }

  override onclosetag(): void {
    this.depth -= 1;
    super.onclosetag();
  }
}

/** The items of a feed, the oldest first: feeds begin with the newest. @throws FeedUnreadable */
export function readFeed(xml: string): FeedItem[] {
  const dom = new BoundedDom();
  new Parser(dom, OPTIONS).end(xml);
  const root = elementsIn(dom.root.children).find(({ name }) => ['rss', 'rdf:RDF', 'feed'].includes(name));
  if (!root) throw new FeedUnreadable('The answer is not a feed: it has no <rss>, <rdf:RDF> or <feed>.');
  const items =
    root.name === 'feed' ? all(root, 'entry') : [...all(root, 'channel').flatMap(itemsOf), ...itemsOf(root)];
  if (items.length > MAX_ITEMS) throw new FeedUnreadable(`The feed has more than ${MAX_ITEMS} items.`);
  return items.map(root.name === 'feed' ? ofAtom : ofRss).toReversed();
}

function itemsOf(of: Element): Element[] {
  return all(of, 'item');
}

function ofRss(item: Element): FeedItem {
  const about = item.attribs['rdf:about'];
  return withId(text(item, 'guid') ?? about ?? null, {
    title: text(item, 'title'),
    link: text(item, 'link') ?? about ?? null,
    author: text(item, 'author') ?? text(item, 'dc:creator'),
    published: time(text(item, 'pubDate') ?? text(item, 'dc:date')),
    updated: null,
    summary: text(item, 'description'),
    content: text(item, 'content:encoded'),
    categories: all(item, 'category').map(trimmed).slice(0, MAX_LIST),
    enclosures: enclosures(all(item, 'enclosure'), 'url'),
  });
}

function ofAtom(entry: Element): FeedItem {
  const links = all(entry, 'link');
  const rel = ({ attribs }: Element) => attribs.rel ?? 'alternate';
  const [author] = all(entry, 'author');
  return withId(text(entry, 'id'), {
    title: text(entry, 'title'),
    link: links.find((link) => rel(link) === 'alternate')?.attribs.href ?? null,
    author: author ? text(author, 'name') : null,
    published: time(text(entry, 'published')),
    updated: time(text(entry, 'updated')),
    summary: text(entry, 'summary'),
    content: text(entry, 'content'),
    categories: all(entry, 'category')
      .map(({ attribs }) => attribs.label ?? attribs.term ?? '')
      .slice(0, MAX_LIST),
    enclosures: enclosures(
      links.filter((link) => rel(link) === 'enclosure'),
      'href',
    ),
  });
}

/** Feeds without ids are usual: an item is then known by its link, or by what it says. */
function withId(id: string | null, item: Omit<FeedItem, 'id'>): FeedItem {
  const { title, link, summary, published } = item;
  const digest = () =>
    createHash('sha256')
      .update(JSON.stringify([title, summary, published]))
      .digest('hex');
  return { id: id || link || digest(), ...item };
}

function enclosures(of: readonly Element[], address: 'url' | 'href'): Enclosure[] {
  return of.slice(0, MAX_LIST).flatMap(({ attribs }) => {
    const { [address]: url, type = null, length = '' } = attribs;
    return url ? [{ url, type, bytes: /^\d{1,15}$/.test(length) ? Number(length) : null }] : [];
  });
}

function elementsIn(children: readonly Child[]): Element[] {
  return children.filter((child): child is Element => 'attribs' in child);
}

function all({ children }: Element, name: string): Element[] {
  return elementsIn(children).filter((child) => child.name === name);
}

/** Of the first child with the name; null: it is not there, or empty. */
function text(of: Element, name: string): string | null {
  const [found] = all(of, name);
  return (found && trimmed(found)) || null;
}

function trimmed(of: Element): string {
  return textContent(of).trim();
}

function time(given: string | null): string | null {
  const at = given === null ? Number.NaN : Date.parse(given.slice(0, 100));
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
