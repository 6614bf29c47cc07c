import { WeftError, type ErrorCode } from '@weft/kernel';
import * as s from '../../http/schema.js';
import { toRunAnswer, type RunAnswer } from './run-answer.js';
import type { Accepted } from './run.service.js';

interface AcceptedItem extends RunAnswer {
  /** An earlier play holds the key, perhaps one of the same batch. */
  readonly replayed: boolean;
  /** The failed play that held the key, which this one goes on with. */
  readonly retryOf?: string;
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
        s.object<AcceptedItem>({ playId: s.text, state: s.text, replayed: s.flag, retryOf: s.text }, ['retryOf']),
        s.object<RefusedItem>({ error: s.object<RefusedItem['error']>({ code: s.text, detail: s.text }) }),
      ],
    }),
  }),
);

export function answerItem(item: Accepted | WeftError): AcceptedItem | RefusedItem {
  if (item instanceof WeftError) return { error: { code: item.code, detail: item.message } };
  const { play, replayed, continues } = item;
  return { ...toRunAnswer(play), replayed, ...(continues !== undefined && { retryOf: continues }) };
}
