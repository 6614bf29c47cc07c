import { moduleOf, layerModules, type LayerModule } from '@weft/layers';
import { z } from 'zod';

/** A module as people and forms see it: contract §4. */
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

/** Modules never change while a process lives, and their schemas are large: each is described once. */
const described = new Map<string, ModuleView>();

export function listModules(): ModuleView[] {
  return [...layerModules.values()].map(viewOf);
}

/** Undefined when there is no module with this appId. */
export function findModule(appId: string): ModuleView | undefined {
  const module = moduleOf(appId);
  return module && viewOf(module);
}

function viewOf({
  appId,
  title,
  description,
  icon,
  argsSchema,
  outSchema,
  examples,
}: LayerModule<unknown>): ModuleView {
  let view = described.get(appId);
  if (!view) {
    view = {
      appId,
      title,
      description,
      icon,
      argsSchema: z.toJSONSchema(argsSchema, { io: 'input' }),
      outSchema: z.toJSONSchema(outSchema, { io: 'output' }),
      examples,
    };
    described.set(appId, view);
  }
  return view;
}
