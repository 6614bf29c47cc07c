import type { Operation } from '@weft/openapi';
import { Schema } from 'mongoose';
import type { ApiKind } from './api.schema.js';

export const API_OPERATIONS = 'api_operations';

/**
 * One operation of an API as one import had it. What it does never changes, so flow versions may be pinned to it; its texts for people are
 * those of the last import that had it.
 */
export interface ApiOperationDocument extends Omit<Operation, 'plan' | 'argsSchema' | 'outSchema'> {
  /** `<api>:<name>:<digest>` */
  readonly _id: string;
  readonly company_id: string;
  readonly apiId: string;
  readonly kind: ApiKind;
  /** The last import that succeeded has it, and as it is here. */
  readonly current: boolean;
  /** Since when it is not; null: it is, or was never. */
  readonly pastSince: Date | null;
  readonly method: string;
  readonly path: string;
  /** JSON text, as the two schemas: names of fields in them may be any, and MongoDB has bounds on nesting. */
  readonly plan: string;
  readonly argsSchema: string;
  readonly outSchema: string;
  /** About as many as it takes. */
  readonly bytes: number;
}

export const apiOperationSchema = new Schema<ApiOperationDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    apiId: { type: String, required: true },
    kind: { type: String, required: true },
    name: { type: String, required: true },
    digest: { type: String, required: true },
    current: { type: Boolean, required: true },
    pastSince: { type: Date, default: null },
    title: { type: String, default: '' },
    description: { type: String, default: '' },
    tags: { type: [String], required: true },
    deprecated: { type: Boolean, required: true },
    method: { type: String, required: true },
    path: { type: String, required: true },
    plan: { type: String, required: true },
    argsSchema: { type: String, required: true },
    outSchema: { type: String, required: true },
    bytes: { type: Number, required: true },
  },
  { collection: API_OPERATIONS, minimize: false, versionKey: false },
);

// the list of an API by name; one of them; those that are not current; removing all of an API. With the last two fields, an import knows
// from the index alone what is stored
apiOperationSchema.index({ company_id: 1, apiId: 1, current: 1, name: 1, digest: 1, bytes: 1 });

export function apiOperationId(apiId: string, name: string, digest: string): string {
  return `${apiId}:${name}:${digest}`;
}
