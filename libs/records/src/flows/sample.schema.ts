import { Schema } from 'mongoose';

export const FLOW_SAMPLES = 'flow_samples';

/** An example of what a layer of a flow gives, for those who build on it. */
export interface SampleDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly flowId: string;
  /** Of the layer; the flow may not have it (any more). */
  readonly ref: string;
  /** As JSON text: its keys may be anything. */
  readonly out: string;
  /** Of `out`, in UTF-8. */
  readonly bytes: number;
  readonly keptBy: string;
  readonly keptAt: Date;
}

export const sampleSchema = new Schema<SampleDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    flowId: { type: String, required: true },
    ref: { type: String, required: true },
    out: { type: String, required: true },
    bytes: { type: Number, required: true },
    keptBy: { type: String, required: true },
    keptAt: { type: Date, required: true },
  },
  { collection: FLOW_SAMPLES, versionKey: false },
);

// all samples of a flow, and one of them by its ref; erasing them with the flow
sampleSchema.index({ company_id: 1, flowId: 1, ref: 1 }, { unique: true });
