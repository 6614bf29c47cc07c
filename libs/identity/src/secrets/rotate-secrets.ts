import { SystemScope, type Mongo } from '@weft/store';
import { SEALED_COLLECTIONS, SealedFieldsRepository } from '@weft/records';
import { SecretUnreadable, type SecretBox } from './secret-box.js';

const BATCH = 200;
const ROTATION = new SystemScope('a rotation of the key seals the secrets of all companies again');

/** The result of a rotation in one collection; the counts add up to its secrets. */
export interface RotationReport {
  readonly collection: string;
  readonly resealed: number;
  /** Already under the current key: before the rotation, or stored meanwhile. */
  readonly current: number;
  /** The error message of each. */
  readonly unreadable: readonly string[];
}

/**
 * Seals every stored secret again that is not under the current key. It only replaces the text that it read, so it can run in
 * parallel with all processes, and can be killed and started again.
 */
export async function rotateSecrets(mongo: Mongo, secrets: SecretBox): Promise<RotationReport[]> {
  const repository = new SealedFieldsRepository(mongo);
  const reports: RotationReport[] = [];
  for (const sealed of SEALED_COLLECTIONS) {
    let [resealed, current, after] = [0, 0, ''];
    const unreadable: string[] = [];
    for (;;) {
      const page = await repository.page(ROTATION, sealed, after, BATCH);
      for (const { id, companyId, sealed: texts } of page) {
        for (const [field, before] of Object.entries(texts)) {
          const place = { companyId, collection: sealed.collection, recordId: id, field };
          try {
            const isDone =
              secrets.isCurrent(before) ||
              !(await repository.replace(ROTATION, sealed, id, field, {
                before,
                after: secrets.seal(place, secrets.open(place, before)),
              }));
            if (isDone) current += 1;
            else resealed += 1;
          } catch (error) {
            if (!(error instanceof SecretUnreadable)) throw error;
            unreadable.push(error.message);
          }
        }
      }
      const last = page.at(-1);
      if (!last) break;
      after = last.id;
    }
    reports.push({ collection: sealed.collection, resealed, current, unreadable });
  }
  return reports;
}
