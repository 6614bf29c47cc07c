/** Finds what looks like a secret in the plain text of a layer: everybody who may read the flow sees it. Pure. */
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { meansSecret } from '@weft/persistence';
import { holdsNothing, LEFT_OUT } from '../documents/private-values.js';

const MAX_FOUND = 20;
/** Longer texts are bodies and templates; a secret in them is not looked for. */
const MAX_CHARS = 4_096;
/** Beginnings and forms by which services make their keys recognisable; what follows is bounded, so that no text takes long. */
const KNOWN_KEYS =
  /\b(?:sk_live_|sk_test_|rk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|whsec_|AKIA|AIza)[\w/+=-]{8}|\beyJ[\w-]{8,200}\.eyJ|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/;
/** A scheme of authentication, and something after it that no expression gives. */
const CREDENTIALS = /^\s*(?:basic|bearer|token|apikey|digest)\s+[^\s{]/i;
/** A text in quotes that an expression turns into a login. */
const LOGIN_IN_EXPRESSION = /\$base64encode\(\s*["']/;
const MESSAGE =
  'looks like a secret in plain text, which everybody who may read the flow sees: store it in an integration link and name that in auth, or read it from there with $link';

/** Paths from the layer's root. */
export function plainSecretsIn({ args }: Pick<LayerDefinition, 'args'>): Warning[] {
  const found: Warning[] = [];
  look(args, 'args', false, (path) => {
    if (found.length < MAX_FOUND) found.push({ path, code: 'plain_secret', message: MESSAGE });
    return found.length < MAX_FOUND;
  });
  return found;
}

/** @param onFound false: it was enough @returns whether to go on */
function look(value: unknown, path: string, isNamedSo: boolean, onFound: (path: string) => boolean): boolean {
  if (typeof value === 'string') return isSecret(value, isNamedSo) ? onFound(path) : true;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inner]) =>
    look(inner, `${path}.${name}`, isNamedSo || (!Array.isArray(value) && meansSecret(name)), onFound),
  );
}

function isSecret(text: string, isNamedSo: boolean): boolean {
  if (text.length > MAX_CHARS || text === LEFT_OUT) return false;
  if (KNOWN_KEYS.test(text) || CREDENTIALS.test(text) || LOGIN_IN_EXPRESSION.test(text)) return true;
  return (isNamedSo && !holdsNothing(text)) || hasSecretInAddress(text);
}

function hasSecretInAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  const [login, host] = text.split('/', 3)[2]?.split('@') ?? [];
  if (host !== undefined && /:./.test(login ?? '') && !login?.includes('{')) return true;
  const query = text.slice(text.indexOf('?') + 1);
  if (query === text) return false;
  return query.split('&').some((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && meansSecret(pair.slice(0, at)) && !holdsNothing(pair.slice(at + 1));
  });
}
