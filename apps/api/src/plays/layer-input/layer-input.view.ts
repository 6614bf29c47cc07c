import type { Unresolved } from '@weft/layers';
import * as s from '../../http/schema.js';

export interface LayerInputView {
  readonly args: unknown;
  readonly expressions: Readonly<Record<string, string>>;
  readonly unresolved: readonly Unresolved[];
  readonly item: number | null;
  readonly curl: string | null;
}

const SECRETS = '`[secret]` stands for each secret';

export const layerInputSchema = s.named(
  'LayerInput',
  s.object<LayerInputView>({
    args: {
      description: `What the layer was given, as far as it can still be computed; ${SECRETS}. Null: nothing is known.`,
    },
    expressions: {
      type: 'object',
      additionalProperties: s.text,
      description:
        'The texts with expressions, as the version has them, by the place of their value: JSON pointers into `args`.',
    },
    unresolved: {
      ...s.listOf(
        s.object<Unresolved>({
          path: { ...s.text, description: 'JSON pointer into `args`, which has null there; empty: all of them.' },
          reason: s.text,
        }),
      ),
      description: 'What cannot be computed any more, or could not be then.',
    },
    item: { ...s.integerOrNull, description: 'Of a loop, which item, page or round it is, from 0; else null.' },
    curl: {
      ...s.textOrNull,
      description: `Of a web request that is known whole: the request as a command; ${SECRETS}.`,
    },
  }),
);
