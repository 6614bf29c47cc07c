import { WeftError } from '@weft/kernel';
import { COMMON_PASSWORDS } from './common-passwords.js';

export const MIN_PASSWORD_LENGTH = 12;
/** bcrypt ignores everything after this, so longer passwords are refused. */
export const MAX_PASSWORD_BYTES = 72;

const FEWEST_DIFFERENT_CHARACTERS = 5;

/**
 * Refuses passwords that bcrypt cannot hash, at sign-in too.
 *
 * @throws WeftError `password_too_long`, or `invalid_body` for a NUL, at which bcrypt would stop reading
 */
export function assertHashable(password: string, path = 'password'): void {
  if (Buffer.byteLength(password, 'utf8') > MAX_PASSWORD_BYTES) {
    throw new WeftError('password_too_long', `A password has at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`, {
      errors: [{ path, code: 'password_too_long', message: `longer than ${MAX_PASSWORD_BYTES} bytes` }],
    });
  }
  if (password.includes('\0')) {
    throw new WeftError('invalid_body', 'A password cannot hold the character U+0000.', {
      errors: [{ path, code: 'invalid_character', message: 'U+0000 is not allowed' }],
    });
  }
}

/**
 * Checks a password that a user chooses: its length and how guessable it is, without rules of composition (NIST SP 800-63B).
 *
 * @param avoid words that belong to the account, such as its address
 * @throws WeftError `weak_password`, and what `assertHashable` throws
 */
export function assertStrong(password: string, avoid: readonly string[] = [], path = 'password'): void {
  assertHashable(password, path);
  const fault = weaknessOf(password, avoid);
  if (fault !== null) {
    throw new WeftError('weak_password', `The password is too weak: it ${fault}.`, {
      errors: [{ path, code: 'weak_password', message: fault }],
    });
  }
}

function weaknessOf(password: string, avoid: readonly string[]): string | null {
  if ([...password].length < MIN_PASSWORD_LENGTH) return `has fewer than ${MIN_PASSWORD_LENGTH} characters`;
  if (new Set(password).size < FEWEST_DIFFERENT_CHARACTERS) {
    return `has fewer than ${FEWEST_DIFFERENT_CHARACTERS} different characters`;
  }
  const core = withoutTrimmings(password);
  if (isCommon(core)) return 'is one of those that are tried first';
  if (avoid.some((word) => word !== '' && core === withoutTrimmings(word))) return 'is the address of the account';
  return null;
}

/** Removes what people append: `Password123!` becomes `password`. */
function withoutTrimmings(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase();
  const core = lower.replace(/[\d\W_]+$/u, '');
  return core === '' ? lower : core;
}

/** True for a common password, also when it is repeated. */
function isCommon(core: string): boolean {
  if (COMMON_PASSWORDS.has(core)) return true;
  for (let length = 1; length <= core.length / 2; length += 1) {
    const piece = core.slice(0, length);
    if (core.length % length === 0 && piece.repeat(core.length / length) === core) return COMMON_PASSWORDS.has(piece);
  }
  return false;
}
