import { Schema } from 'mongoose';

export const SECRET_CHECKS = 'secret_checks';

/** By which a process sees whether its secrets are those of the installation. There is one. */
export interface SecretCheckDocument {
  readonly _id: 'installation';
  /** A text sealed under each key that is in use; during a rotation there are two. */
  readonly sealed: readonly string[];
}

export const secretCheckSchema = new Schema<SecretCheckDocument>(
  {
    _id: { type: String, required: true },
    sealed: { type: [String], required: true },
  },
  { collection: SECRET_CHECKS, versionKey: false },
);
