import { WeftError } from '@weft/kernel';
import { TextField } from '../http/fields.js';
import { MAX_PASSWORD_CHARACTERS } from '../users/user.requests.js';

const MAX_ACCOUNT = 320;

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

  @TextField({
    description: 'At most 72 bytes.',
    min: 1,
    max: MAX_PASSWORD_CHARACTERS,
    example: 'correct horse battery',
  })
  readonly password: string;
}

export class SwitchCompanyBody {
  @TextField({ description: 'One of your companies.', min: 1, max: 64, example: '06dqx3v8k2m7w0r5t9ya' })
  readonly company_id: string;
}

export class ChangePasswordBody {
  @TextField({
    description: 'The one that you sign in with now.',
    min: 1,
    max: MAX_PASSWORD_CHARACTERS,
    example: 'correct horse battery',
  })
  readonly current_password: string;

  @TextField({
    description: '12 characters to 72 bytes.',
    min: 1,
    max: MAX_PASSWORD_CHARACTERS,
    example: 'staple gun on thursday',
  })
  readonly new_password: string;
}

export class AcceptLinkBody {
  @TextField({
    description: 'From the link of an invitation or of a reset.',
    min: 1,
    max: 200,
    example: 'mXl2aV9vYWtlbg',
  })
  readonly token: string;

  @TextField({
    description: 'The password that you choose, 12 characters to 72 bytes; not one that an admin gave you.',
    min: 1,
    max: MAX_PASSWORD_CHARACTERS,
    example: 'staple gun on thursday',
  })
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
