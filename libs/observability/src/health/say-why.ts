const SYSTEM_CODE = /\b(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|E(HOST|NET)UNREACH)\b/;
/** Codes of Node and OpenSSL: each is one of a fixed set, and holds nothing of the connection. */
const TLS_CODE =
  /^(ERR_(SSL|TLS|OSSL)_[A-Z0-9_/]+|[A-Z0-9_]*(CERT|CRL|ISSUER|SIGNATURE|INVALID_CA|INVALID_PURPOSE|HOSTNAME)[A-Z0-9_]*)$/;
const OF_CERTIFICATE = /CERT|CRL|ISSUER|SIGNATURE|_CA$|PURPOSE|HOSTNAME/;
/** The name in the address is not known, or no DNS server answers. */
const OF_NAME = /^(ENOTFOUND|EAI_AGAIN)$/;
/** Of ioredis, which gave up to ask a cluster again. */
const OF_CLUSTER = /^Too many Cluster redirections. Last error: (?:Reply)?Error: (.*)/;
/** Of ioredis, with what the last one of them answered; without: all answered that they do not know the name. */
const OF_SENTINELS = /^All sentinels are unreachable\b.*?(?: Last error: (.*))?$/;
const OF_CLOSED = 'Connection is closed.';
const LONGEST = 200;
/** MongoDB's driver wraps the error of a socket twice. */
const DEEPEST = 5;

/**
 * The kind of failure of a store, in a few words for an operator. Never the whole message of an unknown error, because
 * a driver may quote the command in it.
 */
export function sayWhy(error: unknown): string {
  if (!(error instanceof Error)) return 'not usable';
  if (error.name === 'UnreachedServer') return `${error.message}: ${sayWhy(error.cause)}`;
  const errors = withCauses(error);
  const codes = errors.map((each) => String((each as { readonly code?: unknown }).code));
  const tlsCode = codes.find((code) => TLS_CODE.test(code));
  if (tlsCode) return `${OF_CERTIFICATE.test(tlsCode) ? 'certificate not accepted' : 'TLS failed'} (${tlsCode})`;
  const { codeName } = error as { readonly codeName?: unknown };
  const code = SYSTEM_CODE.exec(`${codes.join(' ')} ${error.message}`)?.[0];
  // a server that asks for a certificate and gets none closes the connection, too
  if (errors.some(({ name, message }) => name === 'MongoNetworkError' && message.endsWith(' closed')))
    return 'connection closed';
  const suffix = code === undefined ? '' : ` (${code})`;
  if (code !== undefined && OF_NAME.test(code)) return `name not resolved (${code})`;
  if (/timeout|timedout|selection/i.test(error.name)) return `connection timeout${suffix}`;
  if (/network|connection/i.test(error.name) || code !== undefined) return `connection failed${suffix}`;
  const [, ofCluster] = OF_CLUSTER.exec(error.message) ?? [];
  if (ofCluster !== undefined) return ofCluster === OF_CLOSED ? 'connection closed' : ofCluster.slice(0, LONGEST);
  const ofSentinels = OF_SENTINELS.exec(error.message);
  if (ofSentinels) return ofSentinelsSay(ofSentinels[1]);
  if (error.message === OF_CLOSED) return 'connection closed';
  if (/^(Command timed out|Socket timeout\b)/.test(error.message)) return 'no answer in time'; // of ioredis
  if (error.name === 'ReplyError') return error.message.slice(0, LONGEST); // Redis names the command and its own state
  return typeof codeName === 'string' ? `not usable (${codeName})` : 'not usable';
}

function ofSentinelsSay(last: string | undefined): string {
  if (last === undefined) return 'its Sentinels do not know a primary of this name';
  return last === OF_CLOSED ? 'no Sentinel can be reached' : `no Sentinel answers as one: ${last.slice(0, LONGEST)}`;
}

/** The error and what caused it. */
function withCauses(error: Error): readonly Error[] {
  const errors: Error[] = [];
  for (let each: unknown = error; each instanceof Error && errors.length < DEEPEST; each = causeOf(each)) {
    errors.push(each);
  }
  return errors;
}

/** The cause of mongoose's error is the driver's description of the servers instead of an Error; its `error` is that of one of them. */
function causeOf({ cause }: Error): unknown {
  return cause instanceof Error ? cause : (cause as { readonly error?: unknown } | null | undefined)?.error;
}
