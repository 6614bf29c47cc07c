/**
 * Messages over Redis pub/sub. All of them are hints: MongoDB has the truth, and every receiver also reads it by itself within
 * a stated time.
 */

/** "This play now has `seq` events": on the company's channel, after the write was acknowledged. */
export interface PlayNotice {
  readonly playId: string;
  readonly seq: number;
}

/** The progress of a layer, on the company's progress channel while the layer runs. It is not stored. */
export interface LayerProgress {
  readonly playId: string;
  readonly position: number;
  /** Which call of the layer: percentages increase within a call and restart with the next one. */
  readonly attempt: number;
  /** Whole, 0 to 100. */
  readonly percent: number;
  readonly status: string;
}

/** What a layer says while it works: the text of an answer of a model, as it arrives. On the same channel, and not stored. */
export interface LayerText {
  readonly playId: string;
  readonly position: number;
  /** Which answer of the call of the layer, from 0. */
  readonly answer: number;
  /** How many characters of the answer come before this text. */
  readonly at: number;
  readonly text: string;
}

/** Invalidates cached entries: on the one invalidation channel, for every replica. */
export interface Invalidation {
  /** `grants`: the id of the user or group that has them. `job`: somebody requested a run of the job. `caches`: evict expired entries. */
  readonly kind: 'flow' | 'session' | 'user' | 'api-key' | 'company' | 'grants' | 'config' | 'job' | 'caches';
  readonly id: string;
}
