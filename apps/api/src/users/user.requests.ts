import { ROLES, type Role } from '@weft/access';
import type { UserState } from '@weft/records';
import { ChoiceField, FlagField, NameField, NestedListField, TextField } from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { ChoiceParam, TextParam } from '../http/query-fields.js';

const MAX_ID = 64;
const MAX_COMPANIES = 100;
/** Longer ones are refused by their bytes, with a code of their own; this bound only keeps the answer short. */
export const MAX_PASSWORD_CHARACTERS = 1_024 * 1_024;

/** Characters of the first plane that can be seen, as all languages write it: `isEmailAddress` knows those of the others, too. */
const SEEN =
  '[^\\s\\u034f\\u17b4\\u17b5\\u180b-\\u180f\\ufe00-\\ufe0f@\\x00-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f' +
  '\\u0890\\u0891\\u08e2\\u115f\\u1160\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffc]';
export const EMAIL_PATTERN = new RegExp(`^${SEEN}+@${SEEN}+$`);

export class PlaceBody {
  @TextField({ description: 'A company that you administer.', min: 1, max: MAX_ID, example: '06dqx3v8k2m7w0r5t9ya' })
  readonly company_id: string;

  @ChoiceField({ description: '`none` takes away.', of: ROLES, example: 'viewer' })
  readonly role: Role;
}

export class CreateUserBody {
  @TextField({
    description: 'Who it is. The account is of your company alone, also where the address has one in another.',
    min: 3,
    max: 320,
    pattern: EMAIL_PATTERN,
    patternSays: 'email must be an address, without characters that cannot be seen',
    example: 'ada@example.org',
  })
  readonly email: string;

  @NestedListField(PlaceBody, {
    description: 'One role per company; default: `none` in yours.',
    min: 1,
    max: MAX_COMPANIES,
    optional: true,
  })
  readonly roles?: readonly PlaceBody[];

  @NameField({ description: 'What to call them.', optional: true, nullable: true, example: 'Ada' })
  readonly name?: string | null;

  @TextField({
    description: '12 characters to 72 bytes; without it the answer has a link by which the user chooses one.',
    min: 1,
    max: MAX_PASSWORD_CHARACTERS,
    optional: true,
  })
  readonly password?: string;
}

export class UpdateUserBody {
  @NameField({ description: 'What to call them.', optional: true, nullable: true, example: 'Ada' })
  readonly name?: string | null;

  @FlagField({ description: 'False keeps the user out of this company.', optional: true })
  readonly active?: boolean;

  @NestedListField(PlaceBody, {
    description: 'Companies left out stay as they are.',
    min: 1,
    max: MAX_COMPANIES,
    optional: true,
  })
  readonly roles?: readonly PlaceBody[];
}

export class ResetPasswordBody {
  @FlagField({ description: 'Whether accounts at identity providers are untied, too; by default not.', optional: true })
  readonly end_identities?: boolean;

  @FlagField({
    description: 'Whether the API keys that act as the user are revoked, too; by default not.',
    optional: true,
    example: true,
  })
  readonly revoke_api_keys?: boolean;
}

export class ListUsersQuery extends PageQuery {
  @TextParam('Part of the address or the name, in any case.')
  readonly q?: string;

  @ChoiceParam('Only with this role in the company.', ROLES)
  readonly role?: Role;

  @ChoiceParam('Only in this state.', ['active', 'invited', 'deactivated'])
  readonly state?: UserState;
}
