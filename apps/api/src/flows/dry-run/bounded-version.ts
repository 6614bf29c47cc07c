import type { FlowVersion } from '@weft/engine';
import type { FlowDocument } from '@weft/persistence';

/** Bytes that the outputs of one dry run may have together, and one of them. */
const ALL_OUTPUTS_BYTES = 16 * 1024 * 1024;
const ONE_OUTPUT_BYTES = 256 * 1024;

/** The version that a dry run executes: the flow with an output limit that keeps all outputs together small. */
export function boundedVersion(flow: FlowDocument): FlowVersion {
  const share = Math.floor(ALL_OUTPUTS_BYTES / Math.max(1, flow.layers.length));
  const maxOutputBytes = Math.min(flow.settings.maxOutputBytes ?? ONE_OUTPUT_BYTES, ONE_OUTPUT_BYTES, share);
  return {
    flowId: flow._id,
    companyId: flow.company_id,
    version: flow.version,
    name: flow.name,
    when: flow.when,
    settings: { ...flow.settings, maxOutputBytes },
    blueprintVars: flow.blueprintVars ?? null,
    layers: flow.layers,
  };
}
