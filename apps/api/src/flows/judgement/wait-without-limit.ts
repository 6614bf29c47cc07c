/** Warns of flows whose plays may wait for each other for ever. Pure. */
import type { Warning } from '@weft/contracts';
import { withParts } from '@weft/layers';
import type { FlowDocument } from '@weft/records';

/**
 * A play keeps its turn, or its place, while it waits for a play that it has started. If that one waits for what others keep, which wait
 * likewise, only a time limit or a person ends it (docs/lanes.md "Plays that start plays").
 */
export function waitWithoutLimit({ settings, layers }: Pick<FlowDocument, 'settings' | 'layers'>): Warning[] {
  const queue = settings.lane != null ? 'settings.lane' : settings.concurrency === null ? null : 'settings.concurrency';
  if (queue === null || settings.timeoutMs !== null) return [];
  const waiting = layers.find((layer) =>
    withParts(layer).some(({ appId, args }) => appId === 'run-flow' && args.wait !== false),
  );
  if (!waiting) return [];
  const message =
    `the layer "${waiting.ref}" waits for a play while this one holds up others (${queue}): ` +
    'if plays come to wait for each other, only a time limit or a person ends that';
  return [{ path: 'settings.timeoutMs', code: 'no_time_limit', message }];
}
