/** What a backup says about the secrets of its installation, without which its sealed values cannot be read. */
export interface BackupKeys {
  /** Of the present `ENC_KEY_SECRET`; it does not reveal the secret. */
  readonly encKeySecret: string;
  /** Of the earlier ones that were still in use, newest first. */
  readonly encKeySecretPrevious: readonly string[];
  readonly envKeySalt: string;
  /** The secrets themselves, encrypted with a passphrase; null: they are not in the backup. */
  readonly sealed: string | null;
}
