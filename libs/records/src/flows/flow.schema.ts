import type { FlowSettings } from '@weft/shapes';
import type { LayerDefinition } from '@weft/engine';
import type { FieldError } from '@weft/kernel';
import { Schema } from 'mongoose';

export const FLOWS = 'flows';
/** The index by which a key belongs to one flow. */
export const FLOW_KEY = 'flow_key';

/**
 * A flow as it is now, with its layers in order of execution. `version` is raised by one in every write; the same write's
 * transaction stores that version in `flow_versions`.
 */
export interface FlowDocument {
  readonly _id: string;
  readonly company_id: string;
  /** The users' own name for it, unique among the flows of the company that are not deleted. */
  readonly key?: string | null;
  readonly version: number;
  /** The version that runs use, where changes are published by hand (`settings.publish`); null: none yet. Otherwise `version`. */
  readonly publishedVersion?: number | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly category: string;
  readonly description: string;
  readonly isBlueprint: boolean;
  readonly restricted: boolean;
  readonly groupId: string | null;
  readonly when: string | null;
  readonly settings: FlowSettings;
  /** JSON Schema of the args of its runs. */
  readonly argsSchema?: Readonly<Record<string, unknown>> | null;
  readonly blueprintId: string | null;
  /** Values for `{{ $blueprint.<name> }}`, given when the flow was made from a blueprint. Data: never read as expressions. */
  readonly blueprintVars?: Readonly<Record<string, string>> | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set when the flow was deleted: it cannot be read or run any more, its plays stay readable. */
  readonly filteredAt: Date | null;
  /** The newest run among plays that retention deleted; see `flows.all`. */
  readonly lastRunAt?: Date;
  /** Retention has begun to erase it: it is not restored any more. */
  readonly erasingAt?: Date;
  /** The play that held up its erasure when retention last looked, and when that was: the next look begins there. */
  readonly heldUp?: { readonly playId: string; readonly at: Date };
  readonly layers: readonly LayerDefinition[];
  /** Missing in flows that were last saved before it was stored. */
  readonly judgement?: FlowJudgement;
}

/** What was found wrong or doubtful when the flow was saved, as far as people read: it takes long to find out. */
export interface FlowJudgement {
  /** Whether it can be enabled, as far as its definition goes. */
  readonly valid: boolean;
  readonly errors: readonly FieldError[];
  /** By layer id; layers without a warning are left out. */
  readonly warnings: Readonly<Record<string, readonly FieldError[]>>;
  /** The version of the product that judged. */
  readonly by: string;
}

export const flowSchema = new Schema<FlowDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    key: { type: String, default: null },
    version: { type: Number, required: true },
    publishedVersion: { type: Number, default: null },
    name: { type: String, required: true },
    enabled: { type: Boolean, required: true },
    category: { type: String, required: true },
    description: { type: String, required: true },
    isBlueprint: { type: Boolean, required: true },
    restricted: { type: Boolean, required: true },
    groupId: { type: String, default: null },
    when: { type: String, default: null },
    settings: { type: Schema.Types.Mixed, required: true },
    argsSchema: { type: Schema.Types.Mixed, default: null },
    blueprintId: { type: String, default: null },
    blueprintVars: { type: Schema.Types.Mixed, default: null },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    filteredAt: { type: Date, default: null },
    lastRunAt: { type: Date },
    erasingAt: { type: Date },
    heldUp: { type: Schema.Types.Mixed },
    layers: { type: [Schema.Types.Mixed], required: true },
    judgement: { type: Schema.Types.Mixed },
  },
  { collection: FLOWS, minimize: false, versionKey: false },
);

// The list of a company, newest first; also the prefix by which a flow is found in a company.
flowSchema.index({ company_id: 1, filteredAt: 1, _id: -1 });
// The flow with a key: one at a time, deleted ones not counted.
flowSchema.index(
  { company_id: 1, key: 1 },
  { unique: true, name: FLOW_KEY, partialFilterExpression: { key: { $type: 'string' }, filteredAt: null } },
);
// The flows that agents see as tools.
flowSchema.index(
  { company_id: 1, 'settings.mcp.tool': 1 },
  { partialFilterExpression: { 'settings.mcp.tool': { $type: 'string' } } },
);
// The flows that give their plays a lane, when a run names one.
flowSchema.index(
  { company_id: 1, 'settings.lane': 1 },
  { partialFilterExpression: { 'settings.lane': { $type: 'string' } } },
);
// Which flows a caller may not read, when plays of the whole company are listed.
flowSchema.index({ company_id: 1, restricted: 1 }, { partialFilterExpression: { restricted: true } });
// The flows of a flow group; whether one has any.
flowSchema.index({ company_id: 1, groupId: 1, _id: -1 }, { partialFilterExpression: { groupId: { $type: 'string' } } });
