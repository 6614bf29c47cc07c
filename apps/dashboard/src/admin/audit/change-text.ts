/** A page has no room for more of a value. */
const MAX_TEXT = 60;

/** `viewer → admin`, from `{ before, after }`. */
export function changeText(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('after' in change)) return valueText(change);
  const before = 'before' in change ? change.before : null;
  if (before === null || before === undefined) return valueText(change.after);
  return `${valueText(before)} → ${valueText(change.after)}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}
