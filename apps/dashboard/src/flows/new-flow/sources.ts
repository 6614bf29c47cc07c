/** What a new flow is made from, and how. */
import { answerOf, api } from '../../api/client';
import type { NewFrom } from '../flows-search';
import { readDocument } from './import-fields';
import { readCurl } from './read-curl';
import { API_DOCUMENTS, type Recipe } from './recipes';

/** What somebody has given, for each source. */
export interface Given {
  readonly name: string;
  readonly recipe: Recipe | null;
  readonly curl: string;
  readonly blueprint: string | null;
  /** Of the recipe or the blueprint. */
  readonly vars: Readonly<Record<string, string>>;
  readonly document: string;
}

type Make = () => Promise<{ readonly id: string }>;

/** Null while something is missing. @param blueprintVars names; null while they are read @param imported keys of APIs that are imported with the recipe */
export function makerOf(
  source: NewFrom,
  given: Given,
  blueprintVars: readonly string[] | null,
  imported: readonly string[],
): Make | null {
  const { name, recipe, blueprint, vars } = given;
  if (source === 'recipe') return recipe && (() => makeRecipe(recipe, name, vars, imported));
  if (source === 'document') {
    const document = readDocument(given.document);
    return 'value' in document ? () => importFlow(document.value, name) : null;
  }
  if (source === 'curl') {
    const read = readCurl(given.curl);
    if (read === null || 'fault' in read) return null;
    const layers = [{ ref: 'request', appId: 'web-request', args: read.args }];
    return () => importFlow({ schema: 'weft.flow/1', name: nameOf(read.args), layers }, name);
  }
  if (name === '') return null;
  if (source === 'nothing') return () => answerOf(api.POST('/api/v1/flows', { body: { name } }));
  if (blueprint === null || blueprintVars === null) return null;
  const body = { name, blueprintVars: Object.fromEntries(blueprintVars.map((each) => [each, vars[each] ?? ''])) };
  return () =>
    answerOf(api.POST('/api/v1/flows/{flowId}/instantiate', { params: { path: { flowId: blueprint } }, body }));
}

/** "GET api.example.com/orders" */
function nameOf({ url, method = 'GET' }: Readonly<Record<string, unknown>>): string {
  return `${String(method)} ${String(url).replace(/^https?:\/\//, '')}`.slice(0, 200);
}

async function makeRecipe(
  { document, blanks }: Recipe,
  name: string,
  vars: Given['vars'],
  imported: readonly string[],
): ReturnType<Make> {
  for (const key of imported) {
    const text = await API_DOCUMENTS.get(key)?.();
    if (text === undefined) continue;
    await answerOf(api.POST('/api/v1/apis', { body: { name: key, key, source: { document: text } } }));
    await importEnd(key);
  }
  const filled = Object.fromEntries(blanks.map((blank) => [blank.name, vars[blank.name] ?? blank.value]));
  return importFlow({ ...document, ...(blanks.length > 0 && { blueprintVars: filled }) }, name);
}

/** How often the state of an import is read: those of our examples take less than a second. */
const IMPORT_ASK_MS = 400;

/** Flows name operations of APIs that are imported. How an import failed, the server says where it refuses the flow. */
async function importEnd(id: string): Promise<void> {
  for (;;) {
    const { state } = await answerOf(api.GET('/api/v1/apis/{id}', { params: { path: { id } } }));
    if (state !== 'importing') return;
    await new Promise((resolve) => setTimeout(resolve, IMPORT_ASK_MS));
  }
}

function importFlow(document: Readonly<Record<string, unknown>>, name: string): ReturnType<Make> {
  return answerOf(api.POST('/api/v1/flows/import', { body: { document, ...(name !== '' && { name }) } as never }));
}
