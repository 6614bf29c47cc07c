import mongoose, { type mongo } from 'mongoose';
import { setImmediate as nextRound } from 'node:timers/promises';

/** About how many bytes of documents are in memory for one read of several. A single document may be larger. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Decoding as much takes about two milliseconds; nobody else's message waits for longer. */
const DECODED_AT_ONCE_BYTES = 256 * 1024;

interface RawCursor extends AsyncIterable<Uint8Array> {
  readBufferedDocuments(count?: number): Uint8Array[];
}

export interface Page<Doc> {
  readonly docs: readonly Doc[];
  /** How many were too large. */
  readonly leftOut: number;
  /** There may be more: the bytes of a page were reached, or the limit that was asked for. */
  readonly hasMore: boolean;
}

/**
 * The first documents that match, up to about this many bytes: a limit on their number alone does not limit memory where users decide how
 * large a document is. What does not fit is neither decoded nor fetched. Other work of the event loop gets its turn in between.
 *
 * @param largestBytes a larger document is left out
 */
export async function findPage<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  filter: mongo.Filter<Doc>,
  options: mongo.FindOptions & mongo.Abortable,
  mostBytes = PAGE_BYTES,
  largestBytes = Number.POSITIVE_INFINITY,
): Promise<Page<Doc>> {
  // as bytes: whoever counts commands would have all of an answer decoded at once
  const cursor = collection.find(filter, { ...options, raw: true }) as unknown as RawCursor;
  const docs: Doc[] = [];
  let [bytes, portion] = [0, 0];
  let leftOut = 0;
  for await (const first of cursor) {
    for (let raw: Uint8Array | undefined = first; raw; [raw] = cursor.readBufferedDocuments(1)) {
      if (raw.byteLength > largestBytes) {
        leftOut += 1;
        continue;
      }
      docs.push(mongoose.mongo.BSON.deserialize(raw) as Doc);
      bytes += raw.byteLength;
      portion += raw.byteLength;
      // leaving the loop closes the cursor
      if (bytes >= mostBytes) return { docs, leftOut, hasMore: true };
      if (portion < DECODED_AT_ONCE_BYTES) continue;
      portion = 0;
      await nextRound();
    }
  }
  return { docs, leftOut, hasMore: docs.length + leftOut === options.limit };
}
