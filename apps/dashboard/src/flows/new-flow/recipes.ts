/** The recipes of docs/recipes.md, which are part of the build, and what is to be filled in before one of them runs. */
import type { DrawnLayer } from '../../picture/picture-model';

interface Document {
  readonly name: string;
  readonly description: string;
  readonly blueprintVars?: Readonly<Record<string, string>>;
  readonly layers: readonly (Pick<DrawnLayer, 'ref' | 'appId' | 'args'> & Partial<DrawnLayer>)[];
}

export interface Recipe {
  /** Its file, and its name in addresses. */
  readonly key: string;
  readonly document: Document;
  readonly layers: readonly DrawnLayer[];
  readonly blanks: readonly Blank[];
  /** Keys of the APIs whose operations it calls; their documents are in `API_DOCUMENTS`. */
  readonly apis: readonly string[];
}

/** A variable that somebody fills in: an integration link, a flow, or a text. */
export interface Blank {
  readonly name: string;
  readonly kind: 'link' | 'flow' | 'text';
  /** What it begins with; empty where the document only says what belongs there. */
  readonly value: string;
}

const documents = import.meta.glob<Document>('../../../../../docs/examples/recipes/*.json', {
  eager: true,
  import: 'default',
});

const apis = import.meta.glob<string>('../../../../../docs/examples/apis/*.json', {
  query: '?raw',
  import: 'default',
});

const keyOf = (file: string): string => file.replace(/^.*\/|\.json$/g, '');

/** By key; each is loaded when it is needed. */
export const API_DOCUMENTS: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(apis).map(([file, load]) => [keyOf(file), load]),
);

/** Those that need nothing but addresses come first. */
export const RECIPES: readonly Recipe[] = Object.entries(documents)
  .map(([file, document]) => recipeOf(keyOf(file), document))
  .toSorted((a, b) => needsOf(a) - needsOf(b) || a.document.name.localeCompare(b.document.name));

/** What has to be in the company before the recipe can run: links, flows and APIs. */
function needsOf({ blanks, apis: called }: Recipe): number {
  return called.length + blanks.filter(({ kind }) => kind !== 'text').length;
}

/** Those that have each word of a text in their name, their description or the modules of their layers. */
export function recipesWith(text: string): readonly Recipe[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return RECIPES.filter(({ document: { name, description }, layers }) => {
    const said = [name, description, ...layers.map(({ appId }) => appId)].join(' ').toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

function recipeOf(key: string, document: Document): Recipe {
  const layers = document.layers.map((layer): DrawnLayer => ({
    ...{ name: layer.ref, stage: null, when: null, forEach: null },
    ...layer,
  }));
  const blanks = Object.entries(document.blueprintVars ?? {}).map(([name, value]): Blank => {
    const kind = kindOf(name, document.layers);
    return { name, kind, value: kind === 'text' ? value : '' };
  });
  const used = layers.flatMap(({ appId, args }) => (appId === 'operation' ? [String(args.api)] : apisOfTools(args)));
  return { key, document, layers, blanks, apis: [...new Set(used)] };
}

/** Those of the operations that are tools of an agent. */
function apisOfTools({ tools }: DrawnLayer['args']): string[] {
  const all = Array.isArray(tools) ? (tools as readonly Readonly<Record<string, unknown>>[]) : [];
  return all.flatMap(({ kind, api }) => (kind === 'operation' ? [String(api)] : []));
}

/** By the argument that is this variable and nothing else. */
function kindOf(name: string, layers: Document['layers']): Blank['kind'] {
  const text = JSON.stringify(layers);
  const is = (field: string): boolean => text.includes(`"${field}":"{{ $blueprint.${name} }}"`);
  return is('integrationId') ? 'link' : is('flowId') ? 'flow' : 'text';
}
