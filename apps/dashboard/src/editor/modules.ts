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

/** Further words by which people look for what a module does. */
const WORDS: Readonly<Record<string, string>> = {
  'ai-chat': 'llm gpt prompt model',
  approval: 'human release confirm ask',
  branch: 'if else switch case route choose',
  code: 'javascript js script function',
  delay: 'wait sleep pause later',
  email: 'mail smtp send',
  filter: 'stop only if condition',
  kv: 'store cache counter lock state remember',
  message: 'slack teams discord chat notify tell',
  'run-flow': 'sub-flow child call',
  s3: 'bucket object file storage upload',
  sql: 'database postgres mysql mariadb query select insert',
  'sql-transaction': 'database postgres mysql mariadb',
  'text-template': 'string format write',
  transform: 'filter a list map sort sum jsonata compute convert each',
  'wait-event': 'callback signal webhook resume',
  'web-request': 'get post put http rest api call json fetch curl download',
};

/** Those in whose name, description or further words all words are. */
export function foundModules(modules: readonly Module[], text: string): readonly Module[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return modules.filter(({ appId, title, description }) => {
    const all = `${appId} ${title} ${description} ${WORDS[appId] ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
