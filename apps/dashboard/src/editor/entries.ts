/** What the list of "Add a layer" offers: modules, and layers that are begun for what people often want. Pure. */
import type { Args } from './form-model';
import type { Module } from './modules';

export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly module: Module;
  /** Null: what the module must have. */
  readonly args: Args | null;
  /** As `forEach`, by name. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface Begun extends Omit<Entry, 'module' | 'id' | 'args' | 'options'> {
  readonly appId: string;
  readonly args: Args;
  readonly options?: Entry['options'];
  readonly words: string;
}

const ITEMS = '$prev.args.items';

const BEGUN: readonly Begun[] = [
  {
    ...{ appId: 'transform', title: 'Filter a list', words: 'where keep find select search' },
    description: 'Keeps the elements of a list for which a condition holds.',
    args: { expression: `[${ITEMS}[active = true]]` },
  },
  {
    ...{ appId: 'transform', title: 'Choose fields of a list', words: 'map rename pick each convert edit set' },
    description: 'Makes another object of each element of a list.',
    args: { expression: `[${ITEMS}.{ "id": id, "name": name }]` },
  },
  {
    ...{ appId: 'transform', title: 'Sort a list', words: 'order by ascending descending' },
    description: 'Orders the elements of a list by a field.',
    args: { expression: `[${ITEMS}^(>date)]` },
  },
  {
    ...{ appId: 'transform', title: 'Totals of a list', words: 'sum count average aggregate summarize reduce' },
    description: 'Counts the elements of a list, and adds up a field.',
    args: { expression: `{ "count": $count(${ITEMS}), "total": $sum(${ITEMS}.amount) }` },
  },
  {
    ...{ appId: 'transform', title: 'Group a list', words: 'by aggregate split categories' },
    description: 'The elements of a list under the value of a field.',
    args: { expression: `${ITEMS}{ $string(customer): [$] }` },
  },
  {
    ...{ appId: 'transform', title: 'Remove duplicates of a list', words: 'unique distinct dedupe' },
    description: 'Keeps one element of each value.',
    args: { expression: `[$distinct(${ITEMS})]` },
  },
  {
    ...{ appId: 'web-request', title: 'Get JSON', words: 'http fetch read load api rest call' },
    description: 'Reads an address; later layers find the JSON under .json.',
    args: { url: 'https://' },
  },
  {
    ...{ appId: 'web-request', title: 'For each item of a list', words: 'loop foreach every iterate batch map' },
    description: 'Makes a request for each element of a list. Any other layer can do the same by its option.',
    args: { url: 'https://', method: 'POST', body: '{{ $item }}' },
    options: { forEach: { in: `{{ ${ITEMS} }}`, concurrency: 1 } },
  },
  {
    ...{ appId: 'web-request', title: 'Send JSON to a webhook', words: 'post http call notify outgoing' },
    description: 'Posts an object to an address.',
    args: { url: 'https://', method: 'POST', body: { id: '{{ $prev.args.id }}' } },
  },
];

/** Other words for what a module does. */
const SYNONYMS: Readonly<Record<string, string>> = {
  agent: 'ai llm assistant autonomous tools mcp function calling model',
  'ai-chat': 'llm gpt openai anthropic claude gemini prompt model assistant summarize classify',
  approval: 'ask human person confirm review sign off permission wait',
  branch: 'if else switch case router choose condition decide path',
  code: 'javascript js typescript script function program python node',
  delay: 'wait sleep pause later timer schedule hold',
  email: 'mail smtp send notify gmail outlook',
  filter: 'stop if only condition gate when end skip',
  kv: 'store cache remember state variable counter lock redis memory set get database',
  message: 'slack teams discord chat notify telegram webhook',
  operation: 'openapi swagger api rest connector integration app service endpoint',
  'run-flow': 'subflow sub-flow subworkflow child call flow execute workflow',
  s3: 'bucket file upload download storage minio r2 blob aws object',
  sql: 'database postgres postgresql mysql mariadb query select insert update table rows',
  'sql-transaction': 'database postgres mysql commit rollback statements',
  'text-extraction': 'regex pattern parse extract find match html xml csv scrape',
  'text-template': 'html render compose format markdown write join concatenate',
  transform: 'map jsonata json convert set fields calculate formula compute merge reshape',
  'wait-event': 'webhook callback signal pause listen resume trigger',
  'web-request': 'http https api rest call fetch curl get post put download url graphql webhook',
};

/**
 * Those in whose name, description or other words all words are: those that are called so go first, then what is begun for it, then
 * modules for which it is another word. A whole word goes before a part of one: "post" is not PostgreSQL.
 */
export function foundEntries(modules: readonly Module[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (all: string): boolean => words.every((word) => all.toLowerCase().includes(word));
  const named = modules.filter(({ appId, title, description }) => holds(`${appId} ${title} ${description}`));
  const meant = modules.filter(
    (module) =>
      !named.includes(module) &&
      holds(`${module.appId} ${module.title} ${module.description} ${SYNONYMS[module.appId] ?? ''}`),
  );
  const begun = BEGUN.flatMap((each): Entry[] => {
    const module = modules.find(({ appId }) => appId === each.appId);
    const isFound = words.length > 0 && holds(`${each.title} ${each.description} ${each.words}`);
    if (!module || !isFound) return [];
    const { title, description, args, options = {} } = each;
    return [{ id: `begun-${BEGUN.indexOf(each)}`, title, description, module, args, options }];
  });
  // "filter a list" means this, "filter" the module
  const [exact, others] = [true, false].map((is) =>
    begun.filter(({ title }) => (words.length > 1 && title.toLowerCase().includes(words.join(' '))) === is),
  );
  const found = [...(exact ?? []), ...named.map(entryOf), ...(others ?? []), ...meant.map(entryOf)];
  const isWhole = (entry: Entry): boolean => {
    const all = wordsOf(entry)
      .toLowerCase()
      .split(/[^\p{L}\d]+/u);
    return words.every((word) => all.includes(word));
  };
  return [...found.filter(isWhole), ...found.filter((entry) => !isWhole(entry))];
}

function wordsOf({ title, description, module, args }: Entry): string {
  const other = args === null ? SYNONYMS[module.appId] : BEGUN.find((each) => each.title === title)?.words;
  return `${title} ${description} ${other ?? ''}`;
}

function entryOf(module: Module): Entry {
  const { appId: id, title, description } = module;
  return { id, title, description, module, args: null, options: {} };
}
