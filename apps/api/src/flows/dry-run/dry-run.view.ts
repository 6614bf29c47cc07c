import type { DryRunView } from '@weft/contracts';
import type { DryRun } from '@weft/layers';
import type { FlowDocument } from '@weft/records';

export function toDryRunView({ layers }: FlowDocument, run: DryRun): DryRunView {
  return {
    state: run.missingFixtures.length > 0 && run.state !== 'FAIL' ? 'NOT_TRIED' : run.state,
    error: run.error,
    layers: run.layers.map(({ ref, state, out, error }, position) => ({
      ref,
      name: layers[position]?.name ?? ref,
      appId: layers[position]?.appId ?? '',
      index: layers[position]?.index ?? position,
      state,
      out,
      error,
    })),
    missingFixtures: run.missingFixtures,
  };
}
