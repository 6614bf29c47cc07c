import type { Labels } from '@weft/contracts';
import type { TriggerDocument } from '@weft/records';
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
  readonly secret_count: number;
}

export interface TriggerView {
  readonly id: string;
  readonly flowId: string;
  readonly name: string;
  readonly verifier: VerifierView;
  readonly dedupe: { readonly header: string | null; readonly expression: string | null } | null;
  readonly when: string | null;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly secret_names: readonly string[];
  readonly labels: Labels;
  readonly wait: number;
  readonly enabled: boolean;
  readonly resting: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface TriggerAddress {
  readonly id: string;
  readonly url: string;
}

const fields = {
  id: s.text,
  flowId: s.text,
  name: s.text,
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
    secret_count: { ...s.integer, description: 'How many secrets are stored; they are never shown.' },
  }),
  dedupe: s.orNull(s.object<NonNullable<TriggerView['dedupe']>>({ header: s.textOrNull, expression: s.textOrNull })),
  when: s.textOrNull,
  args: s.orNull(s.freeObject),
  secret_names: s.listOf(s.text),
  labels: s.labels,
  wait: s.integer,
  enabled: s.flag,
  resting: { ...s.textOrNull, description: 'Why deliveries are answered with 404 although it is enabled.' },
  createdBy: { ...s.text, description: 'The user who made its address: its runs have the rights of this user.' },
  createdAt: s.time,
  updatedAt: s.time,
};
const url = { ...s.text, description: 'Where deliveries are sent. It is shown this once: it is a secret.' };

export const triggerSchema = s.named('Trigger', s.object<TriggerView>(fields));
export const triggerPageSchema = s.pageOf('Trigger', triggerSchema);
export const madeTriggerSchema = s.named('MadeTrigger', s.object<TriggerView & TriggerAddress>({ ...fields, url }));
export const triggerAddressSchema = s.named('TriggerAddress', s.object<TriggerAddress>({ id: s.text, url }));

/** @param resting why its flow cannot run for its creator now */
export function toTriggerView(trigger: TriggerDocument, resting: string | null): TriggerView {
  const { verifier, dedupe } = trigger;
  const shown = <T>(name: string): T | null => (verifier[name] as T | undefined) ?? null;
  return {
    id: trigger._id,
    flowId: trigger.flow_id,
    name: trigger.name,
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
      secret_count: shown<number>('secret_count') ?? 0,
    },
    dedupe: dedupe && { header: dedupe.header ?? null, expression: dedupe.expression ?? null },
    when: trigger.when,
    args: trigger.args,
    secret_names: trigger.secret_names ?? [],
    labels: trigger.labels ?? {},
    wait: trigger.wait,
    enabled: trigger.enabled,
    resting,
    createdBy: trigger.created_by,
    createdAt: trigger.created_at.toISOString(),
    updatedAt: trigger.updated_at.toISOString(),
  };
}
