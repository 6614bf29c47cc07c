const OWN_KEYS = 'input:not([type=checkbox]), textarea, select, button, a, [contenteditable=true], [role=dialog]';

/** Where a key has a meaning of its own: in fields, on buttons and links, in dialogs. */
export function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(OWN_KEYS) !== null;
}
