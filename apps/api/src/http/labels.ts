import { LABEL_KEY, labelsFault, MAX_LABEL_VALUE, MAX_LABELS } from '@weft/shapes';
import { WeftError } from '@weft/kernel';
import { FreeObjectField } from './fields.js';
import { RepeatedParam } from './query-fields.js';

const SHAPE = {
  additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_LABEL_VALUE, pattern: '^[^\\u0000]*$' },
  propertyNames: { pattern: LABEL_KEY.source },
  maxProperties: MAX_LABELS,
};
const RULE = `At most ${MAX_LABELS}: a key of 1 to 63 letters, digits, \`_\`, \`.\` or \`-\`, and a text of 1 to ${MAX_LABEL_VALUE} characters.`;

/** Labels in a body; `assertLabels` checks what is in them. */
export function LabelsField(description: string): PropertyDecorator {
  const options = { description: `${description} ${RULE}`, optional: true, example: { customer: '1042' } };
  return FreeObjectField(options, SHAPE);
}

/** `label=key:value`, several times: all of them. */
export function LabelParam(): PropertyDecorator {
  return RepeatedParam('With this label, as `key:value`; of several: with all of them.', MAX_LABELS, LABEL);
}

/** `key:value` */
export const LABEL = new RegExp(`${LABEL_KEY.source.slice(0, -1)}:[^\\x00]{1,255}$`);

/** @throws WeftError `invalid_labels` */
export function assertLabels(path: string, labels: Readonly<Record<string, unknown>> | undefined): void {
  const message = labels === undefined ? null : labelsFault(labels);
  if (message === null) return;
  const errors = [{ path, code: 'invalid', message }];
  throw new WeftError('invalid_labels', `${path}: ${message}.`, { errors });
}
