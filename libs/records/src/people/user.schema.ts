import type { Role } from '@weft/access';
import { Schema } from 'mongoose';

export const USERS = 'users';

/** A user's membership in one company; at most one per company. */
export interface CompanyRole {
  readonly company_id: string;
  readonly role: Role;
  /** The groups of that company that the user is in. */
  readonly group_ids: readonly string[];
  /** Set while the company keeps the user out, by session and by key. */
  readonly deactivated?: true;
}

export interface UserDocument {
  readonly _id: string;
  readonly email: string;
  /** `emailKey(email)`: several companies may each have an account of one address. */
  readonly email_key: string;
  readonly name: string | null;
  /** bcrypt, cost 12; null while invited or reset, and for who signs in at an identity provider only. */
  readonly password_hash: string | null;
  /** Set while the password is the one that an admin gave the account when they made it: not its holder's secret. */
  readonly password_given?: true;
  readonly operator: boolean;
  readonly company_roles: readonly CompanyRole[];
  readonly created_at: Date;
  readonly last_activity: Date | null;
}

const companyRoleSchema = new Schema<CompanyRole>(
  {
    company_id: { type: String, required: true },
    role: { type: String, required: true },
    group_ids: { type: [String], required: true },
    deactivated: { type: Boolean },
  },
  { _id: false },
);

export const userSchema = new Schema<UserDocument>(
  {
    _id: { type: String, required: true },
    email: { type: String, required: true },
    email_key: { type: String, required: true },
    name: { type: String, default: null },
    password_hash: { type: String, default: null },
    password_given: { type: Boolean },
    operator: { type: Boolean, required: true },
    company_roles: { type: [companyRoleSchema], required: true },
    created_at: { type: Date, required: true },
    last_activity: { type: Date, default: null },
  },
  { collection: USERS, versionKey: false },
);

// Sign-in by address; a company has one account of an address.
userSchema.index({ email_key: 1, 'company_roles.company_id': 1 }, { unique: true });
// The users of a company, newest first.
userSchema.index({ 'company_roles.company_id': 1, _id: -1 });
