import type { Labels } from '@weft/contracts';
import type { TriggerDocument } from '@weft/records';
import { fieldsIn, triggerShape, type Plain } from '@weft/shapes';
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
  readonly secret_count: number;
}

/** As they are stored. */
const OPEN = triggerShape.pick({ name: true, when: true, args: true, wait: true, enabled: true });

export interface TriggerView extends Plain<z.output<typeof OPEN>> {
  readonly id: string;
  readonly flowId: string;
  readonly verifier: VerifierView;
  readonly dedupe: { readonly header: string | null; readonly expression: string | null } | null;
  readonly secret_names: readonly string[];
  readonly labels: Labels;
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
    secret_count: { ...s.integer, description: 'How many secrets are stored; they are never shown.' },
  }),
  dedupe: s.orNull(s.object<NonNullable<TriggerView['dedupe']>>({ header: s.textOrNull, expression: s.textOrNull })),
  secret_names: s.listOf(s.text),
  labels: s.labels,
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
      secret_count: shown<number>('secret_count') ?? 0,
    },
    dedupe: dedupe && { header: dedupe.header ?? null, expression: dedupe.expression ?? null },
    secret_names: trigger.secret_names ?? [],
    labels: trigger.labels ?? {},
    resting,
    createdBy: trigger.created_by,
    createdAt: trigger.created_at.toISOString(),
    updatedAt: trigger.updated_at.toISOString(),
  };
}
