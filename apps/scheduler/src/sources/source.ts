/**
 * What reads messages that wait elsewhere: a topic of Kafka, a queue, a list that is asked for again and again. A source gives
 * messages; `SourceReader` makes plays of them, and stores how far it is.
 */
import type { LoggedMessage, ReadMessage } from '@weft/runs';
import type { TriggerDocument } from '@weft/records';

/** The most of one batch: their plays are made together. */
export const MOST_IN_BATCH = 500;

export interface SourceMessage extends LoggedMessage {
  /** Names it within its shard for ever: the same message has the same one whenever it is read. No blanks. */
  readonly id: string;
  /** Where the shard is read on once this message, and all before it in the batch, are accepted. */
  readonly next: string;
  readonly at: Date | null;
}

/** Of one shard, in its order. */
export interface SourceBatch {
  /** The part of the source that has an order of its own, such as a partition: letters, digits, - and _. */
  readonly shard: string;
  /** At most `MOST_IN_BATCH`; none: only `next` has moved. */
  readonly messages: readonly SourceMessage[];
  /** Where the shard is read on after the whole batch. */
  readonly next: string;
  /** A sentence for users: what was to be read, and is not there any more. It gets into the trigger's log. */
  readonly lost?: string;
}

/**
 * An open source. Calls are made one after the other, except `close`.
 *
 * A batch that was given is accepted before its shard gives another one. If less than all of it was accepted, the source is closed,
 * and opened anew at the cursors that are stored.
 */
export interface Source {
  /** Where the shards begin that have no cursor yet, or another one now. It is stored before anything is read. */
  readonly begins: ReadonlyMap<string, string>;
  /**
   * Waits for messages, for some seconds at most.
   *
   * @returns null: nothing is there now
   * @throws SourceFault, SourceChanged
   */
  next(signal: AbortSignal): Promise<SourceBatch | null>;
  /**
   * The plays of the batch are stored, and so is that they are: a queue forgets the messages now.
   *
   * @throws SourceFault
   */
  accepted(batch: SourceBatch): Promise<void>;
  /** Messages that were not given yet, as far as is known from what was read; null: it is not known. */
  lag(): number | null;
  close(): Promise<void>;
}

export interface SourceAsk {
  readonly trigger: TriggerDocument;
  /** Where each shard is read on, as it was stored. */
  readonly cursors: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

export interface SourceKind {
  /** What was given and not accepted may come again late, among other messages. */
  readonly isUnordered?: true;
  /** @throws SourceFault */
  open(ask: SourceAsk): Promise<Source>;
  /** `$message` of a message: that of `READ_MESSAGE`. */
  read(message: LoggedMessage): ReadMessage;
}

/** The source has other shards than before: it is opened anew at once. */
export class SourceChanged extends Error {}

/** Why nothing can be read, as a sentence for users. The reader tries again, later and later. */
export class SourceFault extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
