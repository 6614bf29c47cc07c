import { PLAY_STATES, type DryRunLayerView, type DryRunView, type PlayError } from '@weft/contracts';
import * as s from '../../http/schema.js';

const error = s.orNull(s.object<NonNullable<DryRunLayerView['error']>>({ code: s.text, message: s.text }));

export const dryRunSchema = s.named(
  'DryRun',
  s.object<DryRunView>({
    state: {
      ...s.oneOf([...PLAY_STATES, 'NOT_TRIED']),
      description: 'NOT_TRIED: it did not fail, but the layers of `missingFixtures` were not called.',
    },
    error: s.orNull(s.object<PlayError>({ code: s.text, message: s.text, ref: s.textOrNull })),
    layers: s.listOf(
      s.object<DryRunLayerView>({
        ref: s.text,
        name: s.text,
        appId: s.text,
        index: s.integer,
        state: { type: 'string', description: 'NEW: not reached.' },
        out: s.anything,
        error,
      }),
    ),
    missingFixtures: {
      ...s.listOf(s.text),
      description:
        'Refs of layers; of an agent that is replayed `<ref>.<tool>` or `<ref>.model`, the call that is not recorded.',
    },
  }),
);
