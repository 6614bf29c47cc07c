import type { CacheView } from '@weft/concurrency';
import { layerModules, moduleOf, publishedSchema, type LayerModule } from '@weft/layers';

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
