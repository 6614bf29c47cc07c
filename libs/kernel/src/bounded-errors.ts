import type { FieldError } from './errors.js';

/** Maximum number of errors in one answer, which a person reads. */
export const MAX_ERRORS = 50;
const MAX_PATH_CHARS = 500;
const MAX_MESSAGE_CHARS = 1_000;

/**
 * The first errors, with texts of bounded length; if there are more, the last entry says how many.
 *
 * @param found how many there are, where not all are given
 */
export function boundedErrors(errors: readonly FieldError[], found = errors.length): readonly FieldError[] {
  if (found <= MAX_ERRORS && found <= errors.length) return errors.map(shortened);
  const named = errors.slice(0, MAX_ERRORS - 1);
  return [...named.map(shortened), { path: '', code: 'more', message: `and ${found - named.length} more` }];
}

export function shortDetail(text: string): string {
  return shortText(text, MAX_MESSAGE_CHARS);
}

function shortened(error: FieldError): FieldError {
  const { path, message } = error;
  if (path.length <= MAX_PATH_CHARS && message.length <= MAX_MESSAGE_CHARS) return error;
  return { ...error, path: shortText(path, MAX_PATH_CHARS), message: shortText(message, MAX_MESSAGE_CHARS) };
}

function shortText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
