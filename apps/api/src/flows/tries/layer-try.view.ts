import type { Unresolved } from '@weft/layers';
import * as s from '../../http/schema.js';

export interface LayerTryView {
  readonly out: unknown;
  readonly outBytes: number;
  readonly isCut: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly statusCode: number | null } | null;
  readonly durationMs: number;
  readonly request: { readonly method: string; readonly url: string } | null;
  readonly logs: readonly string[];
  readonly args: unknown;
  readonly unresolved: readonly Unresolved[];
}

export const layerTrySchema = s.named(
  'LayerTry',
  s.object<LayerTryView>({
    out: {
      description:
        'What later layers would read: of a loop the list with this one item, of pages this one page. With an error what the failure kept.',
    },
    outBytes: { ...s.integer, description: 'Of the whole output as JSON.' },
    isCut: { ...s.flag, description: '`out` is the first part of the output, which has more than 256 KB.' },
    error: s.orNull(
      s.object<NonNullable<LayerTryView['error']>>({ code: s.text, message: s.text, statusCode: s.integerOrNull }),
    ),
    durationMs: { ...s.integer, description: 'Of the call; 0: it was not made.' },
    request: {
      ...s.orNull(s.object<NonNullable<LayerTryView['request']>>({ method: s.text, url: s.text })),
      description: 'Of a web request, without the credentials of a link.',
    },
    logs: { ...s.listOf(s.text), description: 'What the call told of its progress, and code its console.' },
    args: { description: 'What the layer was given; `[secret]` stands for each secret.' },
    unresolved: {
      ...s.listOf(s.object<Unresolved>({ path: s.text, reason: s.text })),
      description: 'JSON pointers into `args` of what could not be computed, and why.',
    },
  }),
);
