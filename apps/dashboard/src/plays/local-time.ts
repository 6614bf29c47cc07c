/** For a field of the kind `datetime-local`: the time on the clock of whoever looks. */
export function toLocalInput(iso: string | undefined): string {
  if (iso === undefined) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** @returns undefined where the field is empty or not a time */
export function fromLocalInput(text: string): string | undefined {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** `from … to …`, whichever of them there is. */
export function rangeText(from: string | undefined, to: string | undefined): string {
  // to make one takes long: only where one is needed
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });
  const text = (iso: string): string => short.format(new Date(iso));
  if (from !== undefined && to !== undefined) return `${text(from)} – ${text(to)}`;
  if (from !== undefined) return `since ${text(from)}`;
  return to === undefined ? '' : `before ${text(to)}`;
}
