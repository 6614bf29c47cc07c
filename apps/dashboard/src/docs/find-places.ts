/** What the search of the documents finds. Pure. */
import type { DocsPage, Place } from './pages';

export interface Found {
  readonly page: Pick<DocsPage, 'path' | 'title'>;
  /** Null: the page itself. */
  readonly place: Place | null;
}

const MOST = 40;

/** Pages and headings with all words: pages by their title first, and the decisions, which are for developers, last. */
export function findPlaces(pages: readonly Omit<DocsPage, 'load'>[], text: string): readonly Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (all: string): boolean => words.every((word) => all.toLowerCase().includes(word));
  const found = pages.flatMap((page): readonly (Found & { readonly rank: number })[] => {
    if (holds(page.title)) return [{ page, place: null, rank: 0 }];
    // a heading says what it is of only together with its page
    return page.places
      .filter((place) => holds(`${page.title} ${place.text}`))
      .map((place) => ({ page, place, rank: holds(place.text) ? 1 : 2 }));
  });
  const weight = ({ page, rank }: (typeof found)[number]): number => rank + (page.path.startsWith('adr/') ? 10 : 0);
  return found.toSorted((a, b) => weight(a) - weight(b)).slice(0, MOST);
}
