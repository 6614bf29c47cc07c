import type { Labels } from '@weft/contracts';
import { parseStoredJson } from '@weft/kernel';
import {
  READING_STATES,
  type ReadingState,
  type TriggerDocument,
  type TriggerReadingState,
  type TriggerSample,
} from '@weft/records';
import { fieldsIn, HOOK_BYTES, TRIGGER_TYPES, triggerShape, type Plain } from '@weft/shapes';
import type { z } from 'zod';
import * as s from '../http/schema.js';

interface VerifierView {
  readonly type: string;
  readonly username: string | null;
  readonly header: string | null;
  readonly algorithm: string | null;
  readonly encoding: string | null;
  readonly prefix: string | null;
  readonly template: string | null;
  readonly id_header: string | null;
  readonly timestamp_header: string | null;
  readonly tolerance_seconds: number | null;
  readonly separator: string | null;
  readonly timestamp_prefix: string | null;
  readonly secret_count: number;
}

/** As they are stored. */
const OPEN = triggerShape.pick({ name: true, when: true, args: true, wait: true, enabled: true });

/** What it reads, answers and does, where it says so. */
const ANSWERS = triggerShape.pick({ challenge: true, respond: true, action: true, source: true });

/** What arrived when it listened for one call. */
export interface SampleView {
  readonly receivedAt: string;
  readonly verified: boolean;
  readonly method: string;
  readonly bytes: number;
  readonly headers: object;
  readonly query: object;
  readonly body: unknown;
  readonly isComplete: boolean;
}

/** How far a source is read. */
export interface ReadingView {
  readonly state: ReadingState;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly lag: number | null;
  readonly lastMessageAt: string | null;
}

export interface TriggerView extends Plain<z.output<typeof OPEN>> {
  readonly id: string;
  readonly flowId: string;
  readonly type: (typeof TRIGGER_TYPES)[number];
  readonly source: TriggerDocument['source'] | null;
  readonly reading: ReadingView | null;
  readonly verifier: VerifierView;
  readonly dedupe: { readonly header: string | null; readonly expression: string | null } | null;
  readonly secret_names: readonly string[];
  readonly methods: readonly string[];
  readonly challenge: TriggerDocument['challenge'] | null;
  readonly respond: TriggerDocument['respond'] | null;
  readonly action: TriggerDocument['action'] | null;
  readonly max_bytes: number;
  readonly labels: Labels;
  readonly listeningUntil: string | null;
  readonly sample: SampleView | null;
  readonly resting: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface TriggerAddress {
  readonly id: string;
  readonly url: string;
}

/** A new trigger, with its address if it has one. */
export interface MadeTriggerView extends TriggerView {
  readonly url: string | null;
}

const fields = {
  id: s.text,
  flowId: s.text,
  ...s.fieldsOf(OPEN),
  verifier: s.object<VerifierView>({
    type: s.text,
    username: s.textOrNull,
    header: s.textOrNull,
    algorithm: s.textOrNull,
    encoding: s.textOrNull,
    prefix: s.textOrNull,
    template: s.textOrNull,
    id_header: s.textOrNull,
    timestamp_header: s.textOrNull,
    tolerance_seconds: s.integerOrNull,
    separator: s.textOrNull,
    timestamp_prefix: s.textOrNull,
    secret_count: { ...s.integer, description: 'How many secrets are stored; they are never shown.' },
  }),
  dedupe: s.orNull(s.object<NonNullable<TriggerView['dedupe']>>({ header: s.textOrNull, expression: s.textOrNull })),
  secret_names: s.listOf(s.text),
  methods: s.listOf(s.text),
  type: s.oneOf(TRIGGER_TYPES),
  reading: {
    ...s.orNull(
      s.object<ReadingView>({
        state: {
          ...s.oneOf(READING_STATES),
          description:
            'paused: the company has too many plays, or the flow cannot run; failing: the source gives nothing, and is asked again; stopped: by a message of which no run can be made.',
        },
        error: s.orNull(s.object<NonNullable<ReadingView['error']>>({ code: s.text, message: s.text })),
        lag: {
          ...s.integerOrNull,
          description: 'Messages that are there and not read; null: the source does not say it.',
        },
        lastMessageAt: s.timeOrNull,
      }),
    ),
    description: 'How far the source is read, some seconds old; null: nobody has begun to read, or it has an address.',
  },
  ...s.fieldsOf(ANSWERS),
  max_bytes: s.integer,
  labels: s.labels,
  listeningUntil: { ...s.timeOrNull, description: 'It listens: the next call until then becomes its sample.' },
  sample: s.orNull(
    s.object<SampleView>({
      receivedAt: s.time,
      verified: { ...s.flag, description: 'False: it could not be proven who sent it, and nothing was run.' },
      method: s.text,
      bytes: s.integer,
      headers: s.freeObject,
      query: s.freeObject,
      body: {
        ...s.anything,
        description: 'As expressions read it; null, too, when the call was too large to be kept.',
      },
      isComplete: s.flag,
    }),
  ),
  resting: { ...s.textOrNull, description: 'Why deliveries are answered with 404 although it is enabled.' },
  createdBy: { ...s.text, description: 'The user who made its address: its runs have the rights of this user.' },
  createdAt: s.time,
  updatedAt: s.time,
};
const url = { ...s.text, description: 'Where deliveries are sent. It is shown this once: it is a secret.' };
const madeUrl = { ...s.textOrNull, description: `${url.description} Null: the trigger reads by itself.` };

export const triggerSchema = s.named('Trigger', s.object<TriggerView>(fields));
export const triggerPageSchema = s.pageOf('Trigger', triggerSchema);
export const madeTriggerSchema = s.named('MadeTrigger', s.object<MadeTriggerView>({ ...fields, url: madeUrl }));
export const triggerAddressSchema = s.named('TriggerAddress', s.object<TriggerAddress>({ id: s.text, url }));

/** @param resting why its flow cannot run for its creator now */
export function toTriggerView(trigger: TriggerDocument, resting: string | null): TriggerView {
  const { verifier, dedupe } = trigger;
  const shown = <T>(name: string): T | null => (verifier[name] as T | undefined) ?? null;
  return {
    id: trigger._id,
    flowId: trigger.flow_id,
    ...fieldsIn(OPEN, trigger),
    verifier: {
      type: verifier.type,
      username: shown('username'),
      header: shown('header'),
      algorithm: shown('algorithm'),
      encoding: shown('encoding'),
      prefix: shown('prefix'),
      template: shown('template'),
      id_header: shown('id_header'),
      timestamp_header: shown('timestamp_header'),
      tolerance_seconds: shown('tolerance_seconds'),
      separator: shown('separator'),
      timestamp_prefix: shown('timestamp_prefix'),
      secret_count: shown<number>('secret_count') ?? 0,
    },
    dedupe: dedupe && { header: dedupe.header ?? null, expression: dedupe.expression ?? null },
    secret_names: trigger.secret_names ?? [],
    methods: trigger.methods ?? ['POST'],
    type: trigger.type ?? 'hook',
    source: trigger.source ?? null,
    reading: trigger.reading ? toReadingView(trigger.reading) : null,
    challenge: trigger.challenge ?? null,
    respond: trigger.respond ?? null,
    action: trigger.action ?? null,
    max_bytes: trigger.max_bytes ?? HOOK_BYTES,
    labels: trigger.labels ?? {},
    listeningUntil: trigger.listen_until?.toISOString() ?? null,
    sample: trigger.sample ? toSampleView(trigger.sample) : null,
    resting,
    createdBy: trigger.created_by,
    createdAt: trigger.created_at.toISOString(),
    updatedAt: trigger.updated_at.toISOString(),
  };
}

function toReadingView({ state, error, lag, last_message_at }: TriggerReadingState): ReadingView {
  return { state, error, lag, lastMessageAt: last_message_at?.toISOString() ?? null };
}

function toSampleView({ received_at, hook, verified, method, bytes }: TriggerSample): SampleView {
  const read = hook === null ? null : (parseStoredJson(hook) as { headers: object; query: object; body: unknown });
  const { headers = {}, query = {}, body = null } = read ?? {};
  const arrived = { receivedAt: received_at.toISOString(), verified, method, bytes };
  return { ...arrived, headers, query, body, isComplete: hook !== null };
}
