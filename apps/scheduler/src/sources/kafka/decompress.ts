import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { unLz4 } from './lz4.js';
import { unSnappy } from './snappy.js';
import { WireFault } from './wire.js';

/** Of a batch of records: a broker takes batches of 1 MB, unless it is configured otherwise. */
const MOST_BYTES = 16 * 1024 * 1024;
/** @param codec 0: none, gzip, snappy, lz4, zstd @throws WireFault */
export function decompressed(codec: number, bytes: Buffer): Buffer {
  try {
    switch (codec) {
      case 0:
        return bytes;
      case 1:
        return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
      case 2:
        return unSnappy(bytes, MOST_BYTES);
      case 3:
        return unLz4(bytes, MOST_BYTES);
      case 4:
        return zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES });
    }
  } catch (cause) {
    throw new WireFault(`records cannot be decompressed, or have more than ${MOST_BYTES} bytes`, { cause });
  }
  throw new WireFault(`records are compressed in a way that is not known (${codec})`);
}
