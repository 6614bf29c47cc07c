/** What the operations of a document have in common. Pure. */
import type { ApiFacts, Operation, SecurityChoice } from './plan.js';

const MOST_CHOICES = 20;
const MOST_SCOPES = 100;
const MOST_TAGS = 200;
/** Of the names and scopes of one choice. */
const MAX_CHOICE_CHARS = 8_000;

/** How callers sign in, and the tags. */
export function countsOf(operations: readonly Operation[]): Required<Pick<ApiFacts, 'security' | 'tags'>> {
  const choices = new Map<string, { schemes: string[]; scopes: Set<string>; operations: number }>();
  const tags = new Map<string, number>();
  for (const { plan, tags: named } of operations) {
    for (const uses of plan.security) {
      if (uses.length === 0) continue;
      const schemes = uses.map(({ scheme }) => scheme);
      const key = JSON.stringify(schemes);
      const choice = choices.get(key) ?? { schemes, scopes: new Set<string>(), operations: 0 };
      choices.set(key, choice);
      choice.operations += 1;
      for (const scope of uses.flatMap(({ scopes }) => scopes)) {
        if (choice.scopes.size < MOST_SCOPES) choice.scopes.add(scope);
      }
    }
    for (const tag of new Set(named)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  }
  const security: SecurityChoice[] = [...choices.values()].map((each) => ({ ...each, scopes: [...each.scopes] }));
  const small = security.filter((each) => JSON.stringify(each).length <= MAX_CHOICE_CHARS);
  return {
    security: commonest(small).slice(0, MOST_CHOICES),
    tags: commonest([...tags].map(([name, count]) => ({ name, operations: count }))).slice(0, MOST_TAGS),
  };
}

function commonest<T extends { readonly operations: number }>(counted: readonly T[]): T[] {
  return counted.toSorted((a, b) => b.operations - a.operations);
}
