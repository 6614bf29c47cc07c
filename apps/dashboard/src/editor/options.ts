/** The options of layers as fields of a form. Pure. */
import type { DraftLayer } from './draft';
import type { Field } from './form-model';

type OptionName = 'when' | 'forEach' | 'repeat' | 'retry' | 'timeoutMs' | 'onError' | 'onInterrupted' | 'stage';

const NONE: Pick<DraftLayer, OptionName> = {
  when: null,
  forEach: null,
  repeat: null,
  retry: null,
  timeoutMs: null,
  onError: 'fail',
  onInterrupted: 'repeat',
  stage: null,
};

const common = (name: string, description: string, fallback = '', isRequired = false) => ({
  name,
  description,
  fallback,
  isRequired,
});
const number = (name: string, description: string, fallback: string, min: number, max: number) =>
  ({ ...common(name, description, fallback), kind: 'number', isInteger: true, min, max }) as const;

const DAY_MS = 86_400_000;

export const OPTION_FIELDS: readonly (Field & { readonly name: string })[] = [
  {
    ...common('when', 'One expression in braces. When it is no, the layer is filtered out and never starts.'),
    kind: 'text',
  },
  {
    ...common('forEach', 'Calls the module once for each item of a list; expressions read $item and $index.'),
    kind: 'object',
    fields: [
      { ...common('in', 'One expression in braces that gives the list.', '', true), kind: 'text' },
      number('concurrency', 'Items at a time.', '1', 1, 100),
      {
        ...common(
          'onItemError',
          'What an item that fails does: end the loop, or be collected as { ok, out, error }.',
          'fail',
        ),
        kind: 'choice',
        options: ['collect', 'fail'],
      },
    ],
  },
  {
    ...common('repeat', 'Runs again until a condition is true; expressions read $repeat.index and $repeat.out.'),
    kind: 'object',
    fields: [
      { ...common('until', 'One expression in braces over $repeat.out.', '', true), kind: 'text' },
      number('max', 'Rounds in all; then the layer fails.', '100', 1, 10_000),
      number('delayMs', 'Milliseconds between two rounds.', '0', 0, DAY_MS),
    ],
  },
  {
    ...common('retry', 'Calls again after a failure.'),
    kind: 'object',
    first: { attempts: 3 },
    fields: [
      { ...number('attempts', 'Calls in all, the first one included.', '', 1, 20), isRequired: true },
      {
        ...common('backoff', 'Whether the pause doubles each time.', 'exponential'),
        kind: 'choice',
        options: ['exponential', 'fixed'],
      },
      number('delayMs', 'Milliseconds before the second call.', '1000', 0, DAY_MS),
      number('maxDelayMs', 'No pause is longer, in milliseconds.', '60000', 0, DAY_MS),
      {
        ...common('on', 'After which failures: statuses ("429", "5xx") and error codes.', 'all that may pass'),
        kind: 'list',
        item: { ...common('', 'A status, timeout, connect or another code.', ''), kind: 'word' },
      },
    ],
  },
  number('timeoutMs', 'Time limit of one call, in milliseconds.', '30000', 1, DAY_MS),
  {
    ...common('onError', 'What a failure does to the play.', 'fail'),
    kind: 'choice',
    options: ['continue', 'fail'],
  },
  {
    ...common('onInterrupted', 'What happens when the worker dies during the call.', 'repeat'),
    kind: 'choice',
    options: ['fail', 'repeat'],
  },
  { ...common('stage', 'Neighbours with the same stage run at the same time.'), kind: 'word' },
];

/** Undefined for an option that says what holds anyway. */
export function optionOf(layer: DraftLayer, name: string): unknown {
  const value = layer[name as OptionName];
  return value === NONE[name as OptionName] ? undefined : value;
}

/** @param value undefined takes the option away */
export function withOption(layer: DraftLayer, name: string, value: unknown): DraftLayer {
  return { ...layer, [name]: value === undefined ? NONE[name as OptionName] : value };
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
    ...(when === null ? [] : ['when']),
    ...(forEach === null ? [] : ['for each']),
    ...(repeat === null ? [] : ['repeats']),
    ...(retry === null ? [] : [`${retry.attempts} attempts`]),
    ...(timeoutMs === null ? [] : ['time limit']),
    ...(onError === 'continue' ? ['goes on after errors'] : []),
    ...(onInterrupted === 'fail' ? ['never repeated'] : []),
  ];
}
