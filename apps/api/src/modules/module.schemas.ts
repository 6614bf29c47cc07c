import * as s from '../http/schema.js';
import type { ModuleView } from './module.view.js';

export const moduleSchema = s.named(
  'Module',
  s.object<ModuleView>({
    appId: s.text,
    title: s.text,
    description: s.text,
    icon: s.text,
    argsSchema: {
      ...s.freeObject,
      description: 'JSON Schema of the arguments after their expressions were evaluated.',
    },
    outSchema: { ...s.freeObject, description: 'JSON Schema of the output.' },
    examples: s.listOf(s.object({ title: s.text, args: s.freeObject })),
  }),
);

export const moduleListSchema = s.named('ModuleList', s.object({ items: s.listOf(moduleSchema) }));
