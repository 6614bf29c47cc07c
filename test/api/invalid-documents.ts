import { type Mongo } from '@weft/store';
import { VALIDATED_COLLECTIONS, validationOf } from '@weft/records';

/** Some of the stored documents that break the schema of their collection, as `collection id`. */
export async function invalidDocuments(mongo: Mongo): Promise<string[]> {
  const found = await Promise.all(
    VALIDATED_COLLECTIONS.map(async (entry) => {
      const broken = { $nor: [validationOf(entry).validator as object] };
      const documents = await mongo.collection<{ _id: string }>(entry.name).find(broken).limit(3).toArray();
      return documents.map(({ _id }) => `${entry.name} ${_id}`);
    }),
  );
  return found.flat();
}
