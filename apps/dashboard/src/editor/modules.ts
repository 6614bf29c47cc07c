import type { components } from '@weft/client';
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

export type Module = components['schemas']['Module'];

/** What layers can do: the same until the page is loaded anew. */
export const modulesQuery = queryOptions({
  queryKey: ['modules'],
  staleTime: Infinity,
  queryFn: async () => (await answerOf(api.GET('/api/v1/modules'))).items,
});

/** Those in whose name or description all words are. */
export function foundModules(modules: readonly Module[], text: string): readonly Module[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return modules.filter(({ appId, title, description }) => {
    const all = `${appId} ${title} ${description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
