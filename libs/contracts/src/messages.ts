/**
 * What travels over Redis pub/sub. All of it is a hint: MongoDB has the truth, and every receiver also looks there by
 * itself within a stated time.
 */

/** "This play now has `seq` events": on the company's channel, after the write was acknowledged. */
export interface PlayNotice {
  readonly playId: string;
  readonly seq: number;
}

/** "This layer is so far": on the company's progress channel while the layer runs. Nothing of it is stored. */
export interface LayerProgress {
  readonly playId: string;
  readonly position: number;
  /** Which call of the layer: its percentages rise, those of the next call begin anew. */
  readonly attempt: number;
  /** Whole, 0 to 100. */
  readonly percent: number;
  readonly status: string;
}

/** "Forget what you know of this": on the one invalidation channel, to every replica. */
export interface Invalidation {
  /** `grants`: the id is of the user or group that they were given to. `job`: somebody asked for a run of the job. `caches`: throw out what has expired. */
  readonly kind: 'flow' | 'session' | 'user' | 'api-key' | 'company' | 'grants' | 'config' | 'job' | 'caches';
  readonly id: string;
}
