import { readObject } from '../../values/json-text';
import type { Trigger, TriggerBody } from './queries';

/** A trigger that reads from Kafka, as fields of a form. */
export interface SourceForm {
  readonly name: string;
  readonly integrationId: string | null;
  readonly topic: string;
  readonly start: 'latest' | 'earliest' | 'time';
  /** With `time`: in ISO 8601. */
  readonly startAt: string;
  readonly onPoison: 'skip' | 'stop';
  readonly when: string;
  readonly args: string;
}

const NEW_SOURCE: SourceForm = {
  ...{ name: '', integrationId: null, topic: '', start: 'latest', startAt: '', onPoison: 'skip', when: '' },
  args: JSON.stringify({ key: '{{ $message.key }}', value: '{{ $message.value }}' }, null, 2),
};

export function sourceFormOf(trigger: Trigger | undefined): SourceForm {
  if (!trigger) return NEW_SOURCE;
  const { name, source, when, args } = trigger;
  const { integrationId = null, topic = '', start = 'latest', onPoison = 'skip' } = source ?? {};
  const isNamed = start === 'latest' || start === 'earliest';
  return {
    ...{ name, integrationId, topic, onPoison, when: when ?? '' },
    start: isNamed ? start : 'time',
    startAt: isNamed ? '' : start,
    args: args === null ? '' : JSON.stringify(args, null, 2),
  };
}

/** Null while a field has a fault. */
export function sourceBodyOf(form: SourceForm): TriggerBody | null {
  const args = form.args.trim() === '' ? null : readObject(form.args);
  const start = form.start === 'time' ? form.startAt.trim() : form.start;
  const { integrationId, onPoison } = form;
  if (form.name.trim() === '' || form.topic.trim() === '' || start === '' || integrationId === null) return null;
  if (args !== null && 'fault' in args) return null;
  return {
    name: form.name.trim(),
    type: 'kafka',
    source: { integrationId, topic: form.topic.trim(), start, onPoison },
    when: form.when.trim() === '' ? null : form.when.trim(),
    args: args === null ? null : args.value,
  };
}
