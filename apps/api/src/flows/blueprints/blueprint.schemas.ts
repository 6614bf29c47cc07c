import type { BlueprintVarView } from '@weft/contracts';
import * as s from '../../http/schema.js';

export const blueprintVarListSchema = s.named(
  'BlueprintVarList',
  s.object({ items: s.listOf(s.object<BlueprintVarView>({ name: s.text, refs: s.listOf(s.text) })) }),
);
