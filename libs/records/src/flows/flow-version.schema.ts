import type { FlowVersion } from '@weft/engine';
import { Schema } from 'mongoose';
import type { FlowDocument, FlowJudgement } from './flow.schema.js';

export const FLOW_VERSIONS = 'flow_versions';

/**
 * An immutable version: what the engine runs, by the engine's names, and in addition what a person who compares or restores
 * versions needs.
 */
export interface FlowVersionDocument extends FlowVersion {
  /** `<flowId>:<version>` */
  readonly _id: string;
  /** Evaluated when a run is accepted. */
  readonly when: string | null;
  readonly blueprintVars: Readonly<Record<string, string>> | null;
  readonly argsSchema?: Readonly<Record<string, unknown>> | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly about: Pick<
    FlowDocument,
    'enabled' | 'category' | 'description' | 'isBlueprint' | 'restricted' | 'groupId' | 'blueprintId'
  >;
  readonly judgement?: FlowJudgement;
}

export const flowVersionSchema = new Schema<FlowVersionDocument>(
  {
    _id: { type: String, required: true },
    flowId: { type: String, required: true },
    companyId: { type: String, required: true },
    version: { type: Number, required: true },
    name: { type: String, required: true },
    key: { type: String },
    when: { type: String, default: null },
    settings: { type: Schema.Types.Mixed, required: true },
    blueprintVars: { type: Schema.Types.Mixed, default: null },
    argsSchema: { type: Schema.Types.Mixed, default: null },
    layers: { type: [Schema.Types.Mixed], required: true },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    about: { type: Schema.Types.Mixed, required: true },
    judgement: { type: Schema.Types.Mixed },
  },
  { collection: FLOW_VERSIONS, minimize: false, versionKey: false },
);

// The versions of one flow, newest first; erasing a flow's versions.
flowVersionSchema.index({ companyId: 1, flowId: 1, version: -1 });

export function flowVersionId(flowId: string, version: number): string {
  return `${flowId}:${version}`;
}
