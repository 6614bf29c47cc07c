const SYSTEM_CODE = /\b(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|E(HOST|NET)UNREACH)\b/;
const LONGEST = 200;

/**
 * The kind of failure of a store, in a few words for an operator. Never the whole message of an unknown error, because
 * a driver may quote the command in it.
 */
export function sayWhy(error: unknown): string {
  if (!(error instanceof Error)) return 'not usable';
  const { codeName } = error as { readonly codeName?: unknown };
  const code = SYSTEM_CODE.exec(`${String((error as { readonly code?: unknown }).code)} ${error.message}`)?.[0];
  const suffix = code === undefined ? '' : ` (${code})`;
  if (/timeout|timedout|selection/i.test(error.name)) return `connection timeout${suffix}`;
  if (/network|connection/i.test(error.name) || code !== undefined) return `connection failed${suffix}`;
  if (error.message === 'Command timed out') return 'no answer in time';
  if (error.name === 'ReplyError') return error.message.slice(0, LONGEST); // Redis names the command and its own state
  return typeof codeName === 'string' ? `not usable (${codeName})` : 'not usable';
}
