import type { FlowVersion } from '@weft/engine';
import type { FlowDocument } from '@weft/records';

/** Bytes that the outputs of one dry run may have together, and one of them. */
export const ALL_OUTPUTS_BYTES = 16 * 1024 * 1024;
const ONE_OUTPUT_BYTES = 256 * 1024;

/** The version that a dry run executes: the flow with an output limit that keeps all outputs together small. */
export function boundedVersion(flow: FlowDocument): FlowVersion {
  const share = Math.floor(ALL_OUTPUTS_BYTES / Math.max(1, flow.layers.length));
  return versionWithin(flow, Math.min(ONE_OUTPUT_BYTES, share));
}

/** The flow as a version whose outputs are no larger than that. */
export function versionWithin(flow: FlowDocument, maxBytes: number): FlowVersion {
  return {
    flowId: flow._id,
    companyId: flow.company_id,
    version: flow.version,
    name: flow.name,
    key: flow.key ?? null,
    when: flow.when,
    settings: { ...flow.settings, maxOutputBytes: Math.min(flow.settings.maxOutputBytes ?? maxBytes, maxBytes) },
    blueprintVars: flow.blueprintVars ?? null,
    layers: flow.layers,
  };
}
