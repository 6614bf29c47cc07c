import type { ErrorCode } from '@weft/kernel';
import { WeftError } from '@weft/kernel';
import * as s from '../../http/schema.js';
import { toRunAnswer, type RunAnswer } from './run-answer.js';
import type { Accepted } from './run.service.js';

interface AcceptedItem extends RunAnswer {
  /** An earlier play holds the key, perhaps one of the same batch. */
  readonly replayed: boolean;
}

interface RefusedItem {
  readonly error: { readonly code: ErrorCode; readonly detail: string };
}

export interface RunBatchAnswer {
  /** In the order of the runs. */
  readonly items: readonly (AcceptedItem | RefusedItem)[];
}

export const runBatchAnswerSchema = s.named(
  'RunBatchAnswer',
  s.object<RunBatchAnswer>({
    items: s.listOf({
      anyOf: [
        s.object<AcceptedItem>({ playId: s.text, state: s.text, replayed: s.flag }),
        s.object<RefusedItem>({ error: s.object<RefusedItem['error']>({ code: s.text, detail: s.text }) }),
      ],
    }),
  }),
);

export function answerItem(item: Accepted | WeftError): AcceptedItem | RefusedItem {
  return item instanceof WeftError
    ? { error: { code: item.code, detail: item.message } }
    : { ...toRunAnswer(item.play), replayed: item.replayed };
}
