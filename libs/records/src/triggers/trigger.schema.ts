import type { SourceType, TriggerGiven } from '@weft/shapes';
import { Schema } from 'mongoose';

export const TRIGGERS = 'triggers';

/** How a delivery is verified, without the secrets: those are sealed. Which fields there are depends on the type. */
export interface StoredVerifier {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What users say of a trigger, names of headers in lower case. */
export interface TriggerFields extends Omit<TriggerGiven, 'verifier' | 'type'> {
  readonly verifier: StoredVerifier;
  /** Left out: deliveries arrive at an address. */
  readonly type?: SourceType;
}
/** Where the id of a delivery is found. */
export type DedupeRule = NonNullable<TriggerFields['dedupe']>;

/** What arrived at a trigger that listened for one call, without credentials. */
export interface TriggerSample {
  readonly received_at: Date;
  /** Whether it was proven who sent it. */
  readonly verified: boolean;
  readonly method: string;
  readonly bytes: number;
  /** JSON of headers, query and the body as expressions read it; null: it was too large. */
  readonly hook: string | null;
}

/** Messages for which plays are being made. What makes them anew, after a crash, gives them the same ids: ADR 131. */
export interface PendingMessages {
  /** The id of the first play; the others follow it. */
  readonly firstPlayId: string;
  /** Of the messages, in the order of their plays. */
  readonly ids: readonly string[];
}

/** How far one part of a source is read, such as a partition. */
export interface ShardReading {
  /** Where the next message is read, as the source says it. */
  readonly cursor: string;
  readonly pending?: PendingMessages;
  /** Of a source without an order: those of batches before, of which some may come again. The ids of those that came are ''. */
  readonly older?: readonly PendingMessages[];
}

export const READING_STATES = ['starting', 'reading', 'paused', 'failing', 'stopped'] as const;
/** `paused`: the company has too many plays, or the trigger rests. `failing`: the source gives nothing. `stopped`: by a message. */
export type ReadingState = (typeof READING_STATES)[number];

/** How far the source of a trigger is read. Only the process that has the trigger's lease writes it. */
export interface TriggerReadingState {
  /** Who reads. Each write says who makes it: one of a process that has lost the lease is refused. */
  readonly holder: string;
  /** By the names of the parts. */
  readonly shards?: Readonly<Record<string, ShardReading>>;
  readonly state: ReadingState;
  /** Why it does not read; null: it does. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Messages that are there and not read; null: the source does not say it. */
  readonly lag: number | null;
  readonly last_message_at?: Date;
  /** When something was accepted, or nothing was there to accept. */
  readonly well_at?: Date;
}

/** An address at which deliveries of other services run a flow; with a `type`, what reads messages from elsewhere. */
export interface TriggerDocument extends TriggerFields {
  readonly _id: string;
  readonly company_id: string;
  readonly flow_id: string;
  /** SHA-256 of the token in the address; the token itself is stored nowhere. Of a trigger with a `type`, nobody knows the token. */
  readonly token_hash: string;
  /** JSON of the verifier's secrets, sealed; null: it has none. */
  readonly secret: string | null;
  /** The next call until then becomes the sample. */
  readonly listen_until?: Date;
  readonly sample?: TriggerSample;
  /** Of a trigger with a `type`. */
  readonly reading?: TriggerReadingState;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Counts changes: each is made of exactly what was read. */
  readonly rev: number;
}

export const triggerSchema = new Schema<TriggerDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    flow_id: { type: String, required: true },
    token_hash: { type: String, required: true },
    type: { type: String },
    source: { type: Schema.Types.Mixed },
    reading: { type: Schema.Types.Mixed },
    name: { type: String, required: true },
    verifier: { type: Schema.Types.Mixed, required: true },
    secret: { type: String, default: null },
    dedupe: { type: Schema.Types.Mixed, default: null },
    when: { type: String, default: null },
    args: { type: Schema.Types.Mixed, default: null },
    secret_names: { type: [String], default: undefined },
    methods: { type: [String], default: undefined },
    challenge: { type: Schema.Types.Mixed },
    respond: { type: Schema.Types.Mixed },
    action: { type: Schema.Types.Mixed },
    max_bytes: { type: Number },
    listen_until: { type: Date },
    sample: { type: Schema.Types.Mixed },
    labels: { type: Schema.Types.Mixed },
    wait: { type: Number, required: true },
    enabled: { type: Boolean, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    rev: { type: Number, required: true },
  },
  { collection: TRIGGERS, minimize: false, versionKey: false },
);

// The trigger that a delivery is for.
triggerSchema.index({ token_hash: 1 }, { unique: true });
// Those that read, of all companies.
triggerSchema.index({ type: 1, _id: 1 }, { partialFilterExpression: { type: { $exists: true } } });
// The triggers of one flow, newest first; counting them; erasing them with their flow.
triggerSchema.index({ company_id: 1, flow_id: 1, _id: -1 });
