import { readObject } from '../../values/json-text';
import type { Trigger, TriggerBody } from './queries';

export type SourceType = Exclude<Trigger['type'], 'hook'>;
type Source = NonNullable<TriggerBody['source']>;

/** A trigger that reads, as fields of a form. */
export interface SourceForm {
  readonly type: SourceType;
  readonly name: string;
  readonly integrationId: string | null;
  readonly topic: string;
  readonly queueUrl: string;
  readonly url: string;
  readonly folder: string;
  readonly user: string;
  /** JSON. */
  readonly request: string;
  readonly items: string;
  readonly id: string;
  readonly cursor: string;
  readonly everySeconds: number;
  readonly start: 'latest' | 'earliest' | 'time';
  /** With `time`: in ISO 8601. */
  readonly startAt: string;
  readonly onPoison: 'skip' | 'stop';
  readonly when: string;
  readonly args: string;
}

/** Fields of a source that are texts in the form, too. */
type TextField = 'topic' | 'queueUrl' | 'url' | 'folder' | 'user' | 'items' | 'id' | 'cursor';

interface OfType {
  readonly needs: readonly TextField[];
  readonly may: readonly TextField[];
  readonly link: 'needs' | 'may' | 'none';
  readonly isAskedAgain: boolean;
  readonly starts: boolean;
}

/** What the form has for each type. */
export const OF_TYPE: Readonly<Record<SourceType, OfType>> = {
  kafka: { needs: ['topic'], may: [], link: 'needs', isAskedAgain: false, starts: true },
  sqs: { needs: ['queueUrl'], may: [], link: 'needs', isAskedAgain: false, starts: false },
  poll: { needs: ['items', 'id'], may: ['cursor'], link: 'none', isAskedAgain: true, starts: true },
  rss: { needs: ['url'], may: [], link: 'may', isAskedAgain: true, starts: true },
  imap: { needs: [], may: ['folder', 'user'], link: 'needs', isAskedAgain: true, starts: true },
};
const TEXTS: readonly TextField[] = ['topic', 'queueUrl', 'url', 'folder', 'user', 'items', 'id', 'cursor'];

const NEW_SOURCE: SourceForm = {
  ...{ type: 'kafka', name: '', integrationId: null, topic: '', queueUrl: '', url: '', folder: '', user: '' },
  ...{ items: '{{ .out.json }}', id: '{{ $item.id }}', cursor: '', everySeconds: 300 },
  ...{ start: 'latest', startAt: '', onPoison: 'skip', when: '' },
  request: JSON.stringify({ appId: 'web-request', args: { url: 'https://' } }, null, 2),
  args: JSON.stringify({ key: '{{ $message.key }}', value: '{{ $message.value }}' }, null, 2),
};

export function sourceFormOf(trigger: Trigger | undefined): SourceForm {
  if (!trigger || trigger.type === 'hook') return NEW_SOURCE;
  const { name, type, when, args } = trigger;
  const source: Source = trigger.source ?? {};
  const { integrationId = null, start = 'latest', onPoison = 'skip', everySeconds = 300, request } = source;
  const isNamed = start === 'latest' || start === 'earliest';
  return {
    ...NEW_SOURCE,
    ...Object.fromEntries(TEXTS.map((field) => [field, source[field] ?? ''])),
    ...{ type, name, integrationId, onPoison, everySeconds, when: when ?? '' },
    ...(request && { request: JSON.stringify(request, null, 2) }),
    start: isNamed ? start : 'time',
    startAt: isNamed ? '' : start,
    args: args === null ? '' : JSON.stringify(args, null, 2),
  };
}

/** Null while a field has a fault. */
export function sourceBodyOf(form: SourceForm): TriggerBody | null {
  const args = form.args.trim() === '' ? null : readObject(form.args);
  const source = sourceOf(form);
  if (form.name.trim() === '' || source === null || (args !== null && 'fault' in args)) return null;
  return {
    name: form.name.trim(),
    type: form.type,
    source,
    when: form.when.trim() === '' ? null : form.when.trim(),
    args: args === null ? null : args.value,
  };
}

function sourceOf(form: SourceForm): Source | null {
  const { type, integrationId, everySeconds, onPoison } = form;
  const { needs, may, link, isAskedAgain, starts } = OF_TYPE[type];
  const start = form.start === 'time' ? form.startAt.trim() : form.start;
  const request = type === 'poll' ? readObject(form.request) : null;
  if (request !== null && 'fault' in request) return null;
  if ((link === 'needs' && integrationId === null) || (starts && start === '')) return null;
  if (needs.some((field) => form[field].trim() === '')) return null;
  const texts = [...needs, ...may].filter((field) => form[field].trim() !== '');
  return {
    ...(link !== 'none' && integrationId !== null && { integrationId }),
    ...Object.fromEntries(texts.map((field) => [field, form[field].trim()])),
    ...(request && { request: request.value as unknown as NonNullable<Source['request']> }),
    ...(isAskedAgain && { everySeconds }),
    ...(starts && { start }),
    onPoison,
  };
}
