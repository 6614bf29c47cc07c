/** Where every key has a meaning of its own. */
const OWN_KEYS =
  'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]';

/** Whether the key belongs to what has the focus, and not to the page: in fields, dialogs and menus, and what presses a button. */
export function isElsewhere({ target, key }: Pick<KeyboardEvent, 'target' | 'key'>): boolean {
  if (!(target instanceof Element)) return false;
  const presses = key === 'Enter' || key === ' ';
  return target.closest(OWN_KEYS) !== null || (presses && target.closest('button, a') !== null);
}
