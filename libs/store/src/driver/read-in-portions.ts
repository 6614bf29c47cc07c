import { setImmediate as nextRound } from 'node:timers/promises';

/** A cursor of the driver, which decodes a document when it is taken out. */
interface Buffered<Doc> extends AsyncIterable<Doc> {
  readBufferedDocuments(count?: number): Doc[];
}

/**
 * All documents of a cursor, for answers whose documents may be large: other work of the event loop gets its turn whenever
 * about this many bytes were decoded. Small answers are read in one go.
 *
 * @param bytesOf about how large a document is
 */
export async function readInPortions<Doc>(
  cursor: Buffered<Doc>,
  bytesOf: (doc: Doc) => number,
  portionBytes: number,
): Promise<Doc[]> {
  const docs: Doc[] = [];
  let bytes = 0;
  for await (const first of cursor) {
    for (let doc: Doc | undefined = first; doc !== undefined; [doc] = cursor.readBufferedDocuments(1)) {
      docs.push(doc);
      bytes += bytesOf(doc);
      if (bytes < portionBytes) continue;
      bytes = 0;
      await nextRound();
    }
  }
  return docs;
}
