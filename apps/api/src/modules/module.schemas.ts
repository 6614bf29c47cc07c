import * as s from '../http/schema.js';
import type { FaceView, ModuleView } from './module.view.js';

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

export const faceSchema = s.named(
  'Face',
  s.object<FaceView>({
    title: s.text,
    description: s.text,
    digest: s.text,
    argsSchema: { ...s.freeObject, description: 'JSON Schema of the arguments of the layer, with its own $defs.' },
    outSchema: { ...s.freeObject, description: 'JSON Schema of the output of one call, with its own $defs.' },
    errors: { ...s.freeObject, description: 'JSON Schemas of the bodies of refused answers, by status.' },
    linkKinds: s.listOf(s.text),
    servers: s.listOf(s.text),
    paging: {
      ...s.orNull(s.freeObject),
      description:
        'How all pages are read: a proposal for the argument `paginate`. `size: { param, value }` in it is not part of that: the query has to say this.',
    },
    warnings: s.listOf(s.text),
  }),
);

export const moduleListSchema = s.named('ModuleList', s.object({ items: s.listOf(moduleSchema) }));
