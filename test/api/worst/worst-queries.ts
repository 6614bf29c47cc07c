/** The most expensive query that an address can have: as long as a server accepts. */
const LONGEST = 12_000;

/**
 * @param names of the parameters that the operation has
 * @param tried whether another operation got the queries that mean nothing anywhere, too; null: they are asked for again
 */
export function worstQueries(names: readonly string[], tried: Set<string> | null): string[] {
  const many = Array.from({ length: LONGEST / 6 }, (_, i) => `${i.toString(36)}=1`).join('&');
  const meaningless = tried?.has('query') ? [] : [many, 'x=1&'.repeat(LONGEST / 4)];
  tried?.add('query');
  return [
    ...meaningless,
    ...names.flatMap((name) => [
      `${name}=${'x'.repeat(LONGEST)}`,
      `${name}=${'a,'.repeat(LONGEST / 2)}`,
      `${name}=%00`,
      `${name}=1&`.repeat(Math.floor(LONGEST / (name.length + 3))),
    ]),
  ];
}

/** An address with invalid ids. */
export function worstPaths(path: string): string[] {
  if (!path.includes('{')) return [];
  return ['%00', '%F0%9F%92%A9'.repeat(700), 'x'.repeat(LONGEST), '%2e%2e', '%7B%22%24ne%22%3A1%7D'].map((id) =>
    path.replace(/\{[^}]+\}/g, id),
  );
}
