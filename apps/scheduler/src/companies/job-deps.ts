import type { SecretBox } from '@weft/identity';
import type { CompanyCounts, LeftToGive } from '@weft/records';
import type { Mongo, PayloadStore } from '@weft/store';

/** What an export and an import need. */
export interface JobDeps {
  readonly mongo: Mongo;
  readonly payloads: Pick<PayloadStore, 'userFiles'>;
  readonly secrets: SecretBox;
  /** Of this product. */
  readonly version: string;
  /** Shows what was done so far. */
  readonly show: (counts: CompanyCounts) => Promise<void>;
}

export interface JobOutcome {
  readonly counts: CompanyCounts;
  readonly file?: string;
  readonly left_to_give?: LeftToGive;
}
