/** Faults of args in one message. */
const MAX_FAULTS = 10;

/** In one line, each with its path. */
export function listedFaults(faults: readonly { readonly path: string; readonly message: string }[]): string {
  const listed = faults.slice(0, MAX_FAULTS).map(({ path, message }) => `${path} ${message}`);
  const more = faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : [];
  return [...listed, ...more].join('; ');
}
