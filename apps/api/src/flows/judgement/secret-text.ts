/** Decides which texts look like secrets, for the warnings of a layer and for what an export leaves out. Pure. */
import { meansSecret } from '@weft/store';

/** Longer texts are bodies and templates; a secret in them is not looked for. */
const MAX_CHARS = 4_096;
/** Beginnings and forms by which services make their keys recognisable; what follows is bounded, so that no text takes long. */
const KNOWN_KEYS =
  /\b(?:sk_live_|sk_test_|rk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|whsec_|AKIA|AIza)[\w/+=-]{8}|\beyJ[\w-]{8,200}\.eyJ|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/;
/** A scheme of authentication, and one word after it that no expression gives: more words are a sentence. */
const CREDENTIALS = /^\s*(?:basic|bearer|token|apikey|digest)\s+[^\s{](?:[^\s{}]|\{\{[^{}]*\}\})*\s*$/i;
/** A text in quotes that an expression turns into a login. */
const LOGIN_IN_EXPRESSION = /\$base64encode\(\s*["']/;

/** The fields of an entry of a list that says its own name: `{ name: "password", value: "…" }`, or a file in parts. */
const NAMED_FIELDS: readonly string[] = ['value', 'content', 'base64'];

/** @param isNamedSo whether it is in a field whose name means a secret */
export function looksSecret(text: string, isNamedSo: boolean): boolean {
  if (isNamedSo && !holdsNothing(text)) return true;
  if (text.length > MAX_CHARS) return false;
  return KNOWN_KEYS.test(text) || CREDENTIALS.test(text) || LOGIN_IN_EXPRESSION.test(text) || hasSecretInAddress(text);
}

/** The fields of an object whose names mean a secret. */
export function isSecretField(object: Readonly<Record<string, unknown>>, field: string): boolean {
  if (meansSecret(field)) return true;
  return NAMED_FIELDS.includes(field) && typeof object.name === 'string' && meansSecret(object.name);
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

/** Nothing, or expressions with at most the word of an authentication scheme before them. */
function holdsNothing(text: string): boolean {
  return /^(?:(?:basic|bearer|token|apikey|digest)\s+)?$/i.test(withoutExpressions(text).trimStart());
}

/**
 * Cut at braces only: an expression that holds `}}` in a quoted text leaves a rest, and so is hidden rather than shown. One that is
 * nothing but a quoted text stays, too.
 */
function withoutExpressions(text: string): string {
  return text.replace(/\{\{(?!\s*(?:"[^"]*"|'[^']*')\s*\}\})[^{}]*\}\}/g, '');
}
