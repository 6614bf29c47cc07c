import { Schema } from 'mongoose';

export const TEST_CASES = 'test_cases';

type FreeObject = Readonly<Record<string, unknown>>;

/** What a flow must do with given args and with given answers of its modules. */
export interface TestCaseDocument {
  readonly _id: string;
  readonly company_id: string;
  readonly flowId: string;
  readonly name: string;
  readonly args: FreeObject;
  /** Ref → the output that replaces the layer's own. */
  readonly fixtures: FreeObject;
  /** Ref → part of the output that the layer must return. */
  readonly expected: FreeObject;
  /** The flow cannot be enabled while this case fails. */
  readonly required: boolean;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const testCaseSchema = new Schema<TestCaseDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    flowId: { type: String, required: true },
    name: { type: String, required: true },
    args: { type: Schema.Types.Mixed, required: true },
    fixtures: { type: Schema.Types.Mixed, required: true },
    expected: { type: Schema.Types.Mixed, required: true },
    required: { type: Boolean, required: true },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: TEST_CASES, minimize: false, versionKey: false },
);

// The cases of one flow, newest first; counting them; erasing them with their flow.
testCaseSchema.index({ company_id: 1, flowId: 1, _id: -1 });
