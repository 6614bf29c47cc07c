import { WeftError } from '@weft/kernel';
import { TextField } from '../http/fields.js';

const MAX_ACCOUNT = 320;

/** Longer ones are refused by their bytes, with a code of their own; this bound only keeps the answer short. */
const MAX_PASSWORD_CHARACTERS = 1_024 * 1_024;

export class LoginBody {
  @TextField({
    description: 'E-mail of the user.',
    min: 1,
    max: MAX_ACCOUNT,
    optional: true,
    example: 'ada@example.org',
  })
  readonly username?: string;

  @TextField({
    description: 'Another name of `username`: give one of the two.',
    min: 1,
    max: MAX_ACCOUNT,
    optional: true,
  })
  readonly email?: string;

  @TextField({ description: 'At most 72 bytes.', min: 1, max: MAX_PASSWORD_CHARACTERS })
  readonly password: string;
}

/** @throws WeftError `invalid_body` when neither or two different ones are given */
export function accountOf({ username, email }: LoginBody): string {
  const account = username ?? email;
  if (account === undefined || (email !== undefined && email !== account)) {
    const message = account === undefined ? 'username or email is required' : 'username and email differ';
    throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'username', code: 'required', message }] });
  }
  return account;
}
