import type { CacheView } from '@weft/concurrency';
import { layerModules, moduleOf, publishedSchema, type Face, type LayerModule } from '@weft/layers';

/** A module as people and forms see it: docs/http-api.md §4. */
export interface ModuleView {
  readonly appId: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  /** JSON Schema of the arguments as a person writes them, expressions aside. */
  readonly argsSchema: Readonly<Record<string, unknown>>;
  readonly outSchema: Readonly<Record<string, unknown>>;
  readonly examples: LayerModule['examples'];
}

/** What a layer takes and gives by what its arguments name: docs/http-api.md §4. */
export interface FaceView {
  readonly title: string;
  readonly description: string;
  /** The state that a layer is pinned to when it is saved. */
  readonly digest: string;
  /** JSON Schema of the arguments of the layer, with its own `$defs`. */
  readonly argsSchema: Readonly<Record<string, unknown>>;
  /** Of the output of one call, likewise. */
  readonly outSchema: Readonly<Record<string, unknown>>;
  /** Schemas of the body of refused answers, by status (`404`, `4XX`, `default`); their references are into `$defs` of `outSchema`. */
  readonly errors: Readonly<Record<string, unknown>>;
  /** The kinds of links that show what the peer asks for; empty: it asks for nothing, or does not say. */
  readonly linkKinds: readonly string[];
  /** Addresses that may be called: the argument `server` is a place in this list. */
  readonly servers: readonly string[];
  /** How its pages are read, as a proposal: `paginate`, and the `size` for which that holds; null: the document does not say it. */
  readonly paging: object | null;
  readonly warnings: readonly string[];
}

/** @param module the one whose arguments name the face */
export function faceView({ argsSchema }: ModuleView, face: Face): FaceView {
  const { title, description, digest, outSchema, linkKinds, warnings, baseUrl, plan } = face;
  const { $defs, ...input } = face.argsSchema;
  const properties = { ...(argsSchema.properties as Readonly<Record<string, unknown>>), input };
  const needsInput = Array.isArray(input.required) && input.required.length > 0;
  const required = [...(argsSchema.required as readonly string[]), ...(needsInput ? ['input'] : [])];
  return {
    ...{ title, description, digest, outSchema, errors: plan.errors, linkKinds, warnings },
    argsSchema: { ...argsSchema, properties, required, ...($defs !== undefined && { $defs }) },
    servers: baseUrl === null ? plan.servers.map(({ url }) => url) : [baseUrl],
    paging: plan.paging ?? null,
  };
}

/** Descriptions that were made before: the schemas of modules are large. */
export type ModuleMemory = Pick<CacheView<ModuleView>, 'get' | 'set'>;

export function listModules(described: ModuleMemory): ModuleView[] {
  return [...layerModules.values()].map((module) => viewOf(module, described));
}

/** Undefined when there is no module with this appId. */
export function findModule(appId: string, described: ModuleMemory): ModuleView | undefined {
  const module = moduleOf(appId);
  return module && viewOf(module, described);
}

function viewOf(
  { appId, title, description, icon, argsSchema, outSchema, examples }: LayerModule<unknown>,
  described: ModuleMemory,
): ModuleView {
  let view = described.get(appId);
  if (!view) {
    view = {
      appId,
      title,
      description,
      icon,
      argsSchema: publishedSchema(argsSchema, 'input'),
      outSchema: publishedSchema(outSchema, 'output'),
      examples,
    };
    described.set(appId, view);
  }
  return view;
}
