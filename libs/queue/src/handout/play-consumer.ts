import type { PlayJob } from '@weft/contracts';
import type { QueueKeys } from '@weft/redis';
import { ShardConsumer } from './shard-consumer.js';

/** A job as it was handed out to a worker. */
export interface HandOut {
  readonly job: PlayJob;
  /** BullMQ had handed it out before: the worker that had it died, froze or lost its lock. */
  readonly redelivered: boolean;
  /** Monotonic time from before the fetch that handed it out; −∞ (stale) when the wall clock cannot tell. */
  readonly handedOutAtMs: number;
  /** To be called once the play has an owner in MongoDB: from then on its job is not needed any more. */
  readonly onClaimed?: () => void;
}

export interface PlayConsumerOptions {
  readonly redisUrl: string;
  readonly keys: QueueKeys;
  /** Plays executed at a time, over all shards; the reserve is added to them (`SlotReserve`). */
  readonly slots: number;
  readonly lockMs: number;
  /** Between two looks for jobs whose lock has expired. */
  readonly stalledMs: number;
  /** Names this process on its connections. */
  readonly bootId: string;
  /**
   * Does the work. Resolves with null, or with the milliseconds after which the job is to be handed out again because
   * nothing was done. A rejection is a defect: the job is completed all the same, and the reconciler looks after the play.
   */
  readonly run: (handOut: HandOut) => Promise<number | null>;
  /** Adds jobs to the queue. Resolves with whether Redis took them all. */
  readonly ring: (jobs: readonly PlayJob[]) => Promise<boolean>;
  readonly onError: (error: Error) => void;
  /**
   * Epoch ms from which the delay of a job counts. Other workers compare its end with their own clocks: a clock that is ahead
   * of theirs would withhold the job from them. Default: this host's clock.
   */
  readonly clockMs?: () => number;
}

/**
 * Takes plays from the queue, a few more than it executes at a time. BullMQ's own recovery only hands out jobs again; the
 * protocol decides what that means, so BullMQ never gives a job up (`maxStalledCount`).
 */
export class PlayConsumer {
  private readonly shards: readonly ShardConsumer[];

  constructor(options: PlayConsumerOptions) {
    const { keys, slots } = options;
    const perShard = Math.max(1, Math.ceil(slots / keys.shards));
    this.shards = Array.from({ length: keys.shards }, (_, shard) => new ShardConsumer(options, shard, perShard));
  }

  start(): void {
    for (const shard of this.shards) shard.start();
  }

  /**
   * Milliseconds since the shard that has waited longest last looked for work; shards whose slots are all taken do not
   * count.
   */
  get silentMs(): number {
    return Math.max(...this.shards.map((shard) => shard.silentMs));
  }

  /** Stops taking jobs. Plays that run go on; jobs that wait for a slot are given back. */
  async stopTaking(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.stopTaking()));
  }

  /** @param force without completing what runs */
  async close(force: boolean): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.close(force)));
  }
}
