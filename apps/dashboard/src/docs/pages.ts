/** The pages of docs/, which are part of the build (vite.config.ts). */
export interface Place {
  readonly id: string;
  readonly text: string;
  /** Of the heading; 0 is a row of a table. */
  readonly level: number;
}

export interface DocsPage {
  /** As in the address, after `/docs/`: `flows`, `deploy/backup`; empty for the list of all. */
  readonly path: string;
  readonly title: string;
  readonly places: readonly Place[];
  readonly load: () => Promise<string>;
}

const FOLDER = '../../../../docs/';

const read = import.meta.glob<string>('../../../../docs/**/*.md', { import: 'default' });
const known = import.meta.glob<Pick<DocsPage, 'title' | 'places'>>('../../../../docs/**/*.md', {
  eager: true,
  query: '?places',
  import: 'default',
});

export const PAGES: readonly DocsPage[] = Object.entries(known).flatMap(([file, page]) => {
  const load = read[file];
  return load === undefined ? [] : [{ ...page, path: pathOf(file), load }];
});

/** @param file as `import.meta.glob` names it */
export function pathOf(file: string): string {
  return file.slice(FOLDER.length).replace(/(^|\/)README\.md$|\.md$/, '');
}
