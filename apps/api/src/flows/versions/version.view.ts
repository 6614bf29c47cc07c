import type { FlowVersionView } from '@weft/contracts';
import type { FlowDocument, FlowVersionDocument, FlowVersionHead } from '@weft/records';
import { shownSettings } from '@weft/shapes';
import { toFlowHeadView, type FlowViews } from '../flow.view.js';

type Origin = Pick<FlowDocument, 'createdBy' | 'createdAt' | 'publishedVersion'>;

/** The flow in a version. Creator, creation time and which version is published are not of a version. */
export function flowAt(version: FlowVersionDocument, flow: Origin): FlowDocument {
  const { layers, judgement } = version;
  return { ...headAt(version, flow), layers, ...(judgement && { judgement }) };
}

export async function toVersionView(
  version: FlowVersionDocument,
  flow: Origin,
  views: FlowViews,
): Promise<FlowVersionView> {
  return { ...about(version), flow: await views.flow(flowAt(version, flow)) };
}

/** A version in a list: its flow without layers. */
export function toVersionHeadView(version: FlowVersionHead, flow: Origin): FlowVersionView {
  return { ...about(version), flow: toFlowHeadView({ ...headAt(version, flow), judgement: version.judgement }) };
}

function about({ version, createdBy, createdAt }: FlowVersionHead): Omit<FlowVersionView, 'flow'> {
  return { version, createdBy, createdAt: createdAt.toISOString() };
}

function headAt(
  version: FlowVersionHead,
  { createdBy, createdAt, publishedVersion }: Origin,
): Omit<FlowDocument, 'layers' | 'judgement'> {
  return {
    ...version.about,
    _id: version.flowId,
    company_id: version.companyId,
    version: version.version,
    publishedVersion: publishedVersion ?? null,
    name: version.name,
    when: version.when,
    settings: shownSettings(version.settings),
    blueprintVars: version.blueprintVars,
    argsSchema: version.argsSchema ?? null,
    createdBy,
    createdAt,
    updatedAt: version.createdAt,
    filteredAt: null,
  };
}
