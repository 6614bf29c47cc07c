const SYSTEM_CODE = /\b(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|E(HOST|NET)UNREACH)\b/;
/** Codes of Node and OpenSSL: each is one of a fixed set, and holds nothing of the connection. */
const TLS_CODE =
  /^(ERR_(SSL|TLS|OSSL)_[A-Z0-9_]+|[A-Z0-9_]*(CERT|CRL|ISSUER|SIGNATURE|INVALID_CA|INVALID_PURPOSE|HOSTNAME)[A-Z0-9_]*)$/;
const OF_CERTIFICATE = /CERT|CRL|ISSUER|SIGNATURE|_CA$|PURPOSE|HOSTNAME/;
const LONGEST = 200;
/** MongoDB's driver wraps the error of a socket twice. */
const DEEPEST = 5;

/**
 * The kind of failure of a store, in a few words for an operator. Never the whole message of an unknown error, because
 * a driver may quote the command in it.
 */
export function sayWhy(error: unknown): string {
  if (!(error instanceof Error)) return 'not usable';
  const tlsCode = codesOf(error).find((code) => TLS_CODE.test(code));
  if (tlsCode) return `${OF_CERTIFICATE.test(tlsCode) ? 'certificate not accepted' : 'TLS failed'} (${tlsCode})`;
  const { codeName } = error as { readonly codeName?: unknown };
  const code = SYSTEM_CODE.exec(`${codesOf(error).join(' ')} ${error.message}`)?.[0];
  const suffix = code === undefined ? '' : ` (${code})`;
  if (/timeout|timedout|selection/i.test(error.name)) return `connection timeout${suffix}`;
  if (/network|connection/i.test(error.name) || code !== undefined) return `connection failed${suffix}`;
  if (error.message === 'Command timed out') return 'no answer in time';
  if (error.name === 'ReplyError') return error.message.slice(0, LONGEST); // Redis names the command and its own state
  return typeof codeName === 'string' ? `not usable (${codeName})` : 'not usable';
}

/** Of the error and of what caused it. */
function codesOf(error: Error): readonly string[] {
  const codes: string[] = [];
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < DEEPEST; each = each.cause, depth += 1) {
    codes.push(String((each as { readonly code?: unknown }).code));
  }
  return codes;
}
