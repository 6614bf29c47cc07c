/** Finds what looks like a secret in the plain text of a flow: everybody who may read the flow sees it. Pure. */
import type { Warning } from '@weft/contracts';
import { LEFT_OUT } from '../documents/fill-left-out.js';
import { isSecretField, looksSecret } from './secret-text.js';

const MAX_FOUND = 20;
const MESSAGE =
  'looks like a secret in plain text, which everybody who may read the flow sees: store it in an integration link and name that in auth, or read it from there with {{ $link.access_token }}';

/** @param root begins the paths */
export function plainSecretsIn(values: Readonly<Record<string, unknown>>, root: string): Warning[] {
  const found: Warning[] = [];
  look(values, root, false, (path) => {
    if (found.length < MAX_FOUND) found.push({ path, code: 'plain_secret', message: MESSAGE });
    return found.length < MAX_FOUND;
  });
  return found;
}

/** @param onFound false: it was enough @returns whether to go on */
function look(value: unknown, path: string, isNamedSo: boolean, onFound: (path: string) => boolean): boolean {
  if (typeof value === 'string') return value !== LEFT_OUT && looksSecret(value, isNamedSo) ? onFound(path) : true;
  if (typeof value !== 'object' || value === null) return true;
  const fields = Array.isArray(value) ? null : (value as Readonly<Record<string, unknown>>);
  return Object.entries(value).every(([name, inner]) =>
    look(inner, `${path}.${name}`, isNamedSo || (fields !== null && isSecretField(fields, name)), onFound),
  );
}
