import { ROLES, type Role } from '@weft/access';
import { ChoiceField, FlagField, NameField, NameListField, TextField } from '../http/fields.js';

const MAX_NAME = 100;
const MAX_URL = 1_000;
const MAX_SECRET = 2_000;
const VISIBLE = /^[\x21-\x7e]+$/;
/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const name = { description: 'What the sign-in page calls it.', max: MAX_NAME, example: 'Example ID' };
const issuer = {
  description: 'Its issuer, exactly as its tokens have it; https, or http on this machine.',
  min: 1,
  max: MAX_URL,
  example: 'https://id.example.com',
};
const clientId = {
  description: 'What this installation is called there.',
  min: 1,
  max: 500,
  pattern: VISIBLE,
  example: 'weft',
};
const clientSecret = { description: 'Never shown again.', min: 1, max: MAX_SECRET, pattern: VISIBLE };
const redirectUri = {
  description: 'The callback as the provider knows it; by default API_URL followed by /auth/callback.',
  min: 1,
  max: MAX_URL,
  optional: true,
  nullable: true,
};
const scopes = {
  description: 'What is asked for; by default openid, profile and email. openid must be among them.',
  max: 50,
  pattern: SCOPE,
  optional: true,
};
const autoCreate = {
  description: 'Whether who comes for the first time becomes a user; by default not.',
  optional: true,
};
const company = {
  description: 'Id of the company of who belongs to none.',
  min: 1,
  max: 64,
  optional: true,
  nullable: true,
};
const role = { description: 'Role in that company; by default none.', of: ROLES, optional: true };

export class CreateProviderBody {
  @NameField(name) readonly name: string;
  @TextField(issuer) readonly issuer: string;
  @TextField(clientId) readonly client_id: string;
  @TextField({ ...clientSecret, optional: true, nullable: true }) readonly client_secret?: string | null;
  @TextField(redirectUri) readonly redirect_uri?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
  @FlagField(autoCreate) readonly auto_create_users?: boolean;
  @TextField(company) readonly auto_assign_company?: string | null;
  @ChoiceField(role) readonly auto_assign_role?: Role;
}

export class UpdateProviderBody {
  @NameField({ ...name, optional: true }) readonly name?: string;
  @TextField({ ...issuer, optional: true }) readonly issuer?: string;
  @TextField({ ...clientId, optional: true }) readonly client_id?: string;
  @TextField({ ...clientSecret, optional: true, nullable: true }) readonly client_secret?: string | null;
  @TextField(redirectUri) readonly redirect_uri?: string | null;
  @NameListField(scopes) readonly scopes?: string[];
  @FlagField(autoCreate) readonly auto_create_users?: boolean;
  @TextField(company) readonly auto_assign_company?: string | null;
  @ChoiceField(role) readonly auto_assign_role?: Role;
}
