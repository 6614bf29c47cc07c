/** The options of layers as fields of a form. Pure. */
import type { DraftLayer } from './draft';
import { fieldOf, type Field, type Schema } from './form-model';
import { OPTIONS, UNUSED, type OptionName } from './layer-options';
import { plainSchema } from './schema-reading';

/** What people call them; a layer has them under their names. */
const LABELS: Readonly<Record<OptionName, string>> = {
  when: 'Only if',
  forEach: 'For each item of',
  repeat: 'Again until',
  retry: 'Try again',
  timeoutMs: 'Time limit (ms)',
  onError: 'After a failure',
  onInterrupted: 'After a crash',
  stage: 'At the same time as',
};
const CHOICES: Readonly<Partial<Record<OptionName, Readonly<Record<string, string>>>>> = {
  onError: { fail: 'The play fails', continue: 'The play goes on' },
  onInterrupted: { repeat: 'It is called again', fail: 'It fails' },
};

export const OPTION_FIELDS: readonly Field[] = (Object.keys(OPTIONS) as OptionName[]).map((name) => {
  const field = { ...optionField(name, OPTIONS[name]), label: LABELS[name] };
  const words = CHOICES[name];
  return field.kind === 'choice' && words ? { ...field, words } : field;
});

function optionField(name: string, schema: Schema, isRequired = false): Field {
  // null is how an option is left out
  const bare = plainSchema(schema, undefined);
  const field: Field = { ...fieldOf(name, schema, isRequired), isNullable: false };
  const [example] = (bare.examples ?? []) as readonly unknown[];
  if (field.kind === 'list') return { ...field, item: optionField('', bare.items as Schema) };
  // an option that is an expression has one as its example
  if (field.kind === 'text') return String(example).includes('{{') ? field : { ...field, kind: 'word' };
  if (field.kind !== 'object') return field;
  const properties = bare.properties as Readonly<Record<string, Schema>>;
  const fields = field.fields.map((each) => ({
    ...optionField(each.name, properties[each.name] ?? {}, each.isRequired),
    ...(each.kind === 'number' && { first: (example as Schema | undefined)?.[each.name] }),
  }));
  return { ...field, fields };
}

/** Undefined for an option that says what holds anyway. */
export function optionOf(layer: DraftLayer, name: string): unknown {
  const value = layer[name as OptionName];
  return value === UNUSED[name as OptionName] ? undefined : value;
}

/** @param value undefined takes the option away */
export function withOption(layer: DraftLayer, name: string, value: unknown): DraftLayer {
  return { ...layer, [name]: value === undefined ? UNUSED[name as OptionName] : value };
}

/** The options that a layer has, each in a word or two. */
export function optionWords({
  when,
  forEach,
  repeat,
  retry,
  timeoutMs,
  onError,
  onInterrupted,
}: DraftLayer): readonly string[] {
  return [
    ...(when === null ? [] : ['only if']),
    ...(forEach === null ? [] : ['for each']),
    ...(repeat === null ? [] : ['repeats']),
    ...(retry === null ? [] : [`up to ${retry.attempts} attempts`]),
    ...(timeoutMs === null ? [] : ['time limit']),
    ...(onError === 'continue' ? ['goes on after errors'] : []),
    ...(onInterrupted === 'fail' ? ['never repeated'] : []),
  ];
}
