import { pathOf } from './pages';

const words = import.meta.glob<readonly string[]>('../../../../docs/**/*.md', {
  eager: true,
  query: '?words',
  import: 'default',
});

/** What the pages say, by path: before the first place, and after each. Loaded for the first search. */
export const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(words).map(([file, said]) => [pathOf(file), said]),
);
