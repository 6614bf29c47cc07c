import type { LoopItem } from './loop-items.js';
import * as s from '../../http/schema.js';

export type LoopItemView = LoopItem;

const itemSchema = s.object<LoopItemView>({
  index: s.integer,
  ok: s.orNull(s.flag),
  out: s.anything,
  error: s.orNull(
    s.object<NonNullable<LoopItemView['error']>>({ code: s.text, message: s.text, statusCode: s.integerOrNull }),
  ),
  attempts: {
    ...s.integerOrNull,
    description: 'Calls that were made for it, of the one that failed the loop; else null.',
  },
  playId: s.textOrNull,
  state: s.textOrNull,
});

export const loopItemPageSchema = s.pageOf('LoopItem', s.named('LoopItem', itemSchema));
