/** Names whose values never reach the audit log, wherever they occur: headers, arguments, provider records. */
const SECRET_NAME =
  /^(proxy-)?authorization$|^(set-)?cookie$|password|passphrase|secret|token$|api[-_]?key$|private[-_]?key$/i;

export const SECRET = '[secret]';

/** Whether values under this name count as secrets. */
export function meansSecret(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * A copy in which each value under a name that means a secret is `"[secret]"`. Null stays null, to distinguish set from
 * unset.
 */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, meansSecret(name) ? hideValue(inner) : withoutSecrets(inner)]),
  );
}

/** `{ password: { before, after } }` keeps its form, so that the entry still says that it changed. */
function hideValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && 'before' in value && 'after' in value) {
    return { before: hideValue(value.before), after: hideValue(value.after) };
  }
  return SECRET;
}
