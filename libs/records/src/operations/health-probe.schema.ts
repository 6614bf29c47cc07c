import { Schema } from 'mongoose';

export const HEALTH_PROBES = 'health_probes';
/** Signs of processes that are gone are of use to who looks for what has just died. */
const KEPT_SECONDS = 3_600;

/** The last sign of life of a process. Of versions up to 1.0: one for all processes of a name and level, without what is optional here. */
export interface HealthProbeDocument {
  /** New at each start; up to 1.0 `<name>:<level>`. */
  readonly _id: string;
  /** How many migrations it knows. */
  readonly level: number;
  /** By MongoDB's clock. */
  readonly at: Date;
  /** `api`, `worker`, `realtime`, `scheduler` or `standalone`. */
  readonly name?: string;
  readonly version?: string;
  /** The name of its machine: with Kubernetes, of its pod. */
  readonly host?: string;
  readonly startedAt?: Date;
}

export const healthProbeSchema = new Schema<HealthProbeDocument>(
  {
    _id: { type: String, required: true },
    level: { type: Number, required: true },
    at: { type: Date, required: true },
    name: { type: String },
    version: { type: String },
    host: { type: String },
    startedAt: { type: Date },
  },
  { collection: HEALTH_PROBES, versionKey: false },
);
// what is gone goes by itself
healthProbeSchema.index({ at: 1 }, { name: 'gone', expireAfterSeconds: KEPT_SECONDS });
