import type { Unresolved } from '@weft/layers';
import * as s from '../../http/schema.js';

export interface LayerInputView {
  readonly args: unknown;
  readonly expressions: Readonly<Record<string, string>>;
  readonly unresolved: readonly Unresolved[];
  readonly item: number | null;
  readonly of: number | null;
  readonly label: string | null;
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
    of: {
      ...s.integerOrNull,
      description: 'Of a loop over a list, how many items it has, if that is known; else null.',
    },
    label: {
      ...s.textOrNull,
      description: 'Of an item: its first field that tells one from another, as `order 104`; null where there is none.',
    },
    curl: {
      ...s.textOrNull,
      description: `Of a web request that is known whole: the request as a command; ${SECRETS}.`,
    },
  }),
);

const MAX_CHARS = 80;

/** The first field of an item that is a text or a number, with its name; of an item that is one, the item. */
export function labelOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return isTelling(item) ? cut(String(item)) : null;
  if (Array.isArray(item)) return null;
  const found = Object.entries(item).find(([, value]) => isTelling(value));
  return found ? cut(`${found[0]} ${String(found[1])}`) : null;
}

function isTelling(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number' || typeof value === 'bigint';
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}
