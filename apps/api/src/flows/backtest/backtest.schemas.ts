import { BACKTEST_RESULTS, type BacktestDifference, type BacktestItem, type BacktestView } from '@weft/contracts';
import * as s from '../../http/schema.js';

const differenceSchema = s.object<BacktestDifference>({
  ref: { ...s.textOrNull, description: 'The layer; null: the play as a whole.' },
  path: {
    ...s.text,
    description:
      "Place in the layer's out; `$state`, `$error` and `$out` are those of the layer or the play, `$args` is what the layer would be called with.",
  },
  before: { description: 'What the play recorded; null for nothing.' },
  after: { description: 'What the version would do; null for nothing.' },
});

export const backtestSchema = s.named(
  'Backtest',
  s.object<BacktestView>({
    compared: { type: 'integer', description: 'Fewer than asked for when fewer have ended, or the time was over.' },
    same: s.integer,
    different: s.integer,
    unresolved: s.integer,
    items: s.listOf(
      s.object<BacktestItem>({
        playId: s.text,
        result: s.oneOf(BACKTEST_RESULTS),
        differences: s.listOf(differenceSchema),
        missing: {
          ...s.listOf(s.text),
          description: 'Layers for which the play recorded no answer.',
        },
      }),
    ),
  }),
);
