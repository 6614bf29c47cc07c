/** What the search of the documents finds. Pure. */
import type { DocsPage, Place } from './pages';

export interface Found {
  readonly page: Pick<DocsPage, 'path' | 'title'>;
  /** Null: the page itself. */
  readonly place: Place | null;
}

type Page = Pick<DocsPage, 'path' | 'title' | 'places'>;

const MOST = 40;

/**
 * Places with all words: pages by their title first, then headings, then texts, and the decisions, which are for developers, last.
 *
 * @param said by the path of the page: what it says before its first place, and after each
 */
export function findPlaces(pages: readonly Page[], said: ReadonlyMap<string, readonly string[]>, text: string) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (all: string): boolean => words.every((word) => all.toLowerCase().includes(word));
  const found = pages.flatMap((page) => {
    const texts = said.get(page.path) ?? [];
    const rankOf = (place: Place | null, text = ''): number => {
      if (place === null) return holds(page.title) ? 0 : holds(`${page.title} ${text}`) ? 4 : -1;
      if (holds(place.text)) return 1;
      return holds(`${page.title} ${place.text}`) ? 2 : holds(`${page.title} ${place.text} ${text}`) ? 3 : -1;
    };
    const all = [null, ...page.places].map((place, i) => ({ page, place, rank: rankOf(place, texts[i]) }));
    // the title says it of all of them
    return all[0]?.rank === 0 ? all.slice(0, 1) : all.filter(({ rank }) => rank !== -1);
  });
  const weight = ({ page, rank }: (typeof found)[number]): number => rank + (page.path.startsWith('adr/') ? 10 : 0);
  return found.toSorted((a, b) => weight(a) - weight(b)).slice(0, MOST) satisfies readonly Found[];
}
