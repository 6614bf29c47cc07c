// Whether the client is as small as it promises: docs/client.md. A process of its own, because its packages exist only after the set-up.
import { gzipSync } from 'node:zlib';
import { clientForBrowsers } from './build.mjs';

const MOST_BYTES = 15 * 1_024;
const bytes = gzipSync(await clientForBrowsers()).length;
if (bytes > MOST_BYTES) {
  console.error(`@weft/client has ${bytes} bytes when it is minified and compressed, more than ${MOST_BYTES}.`);
  process.exit(1);
}
console.log(`@weft/client: ${bytes} bytes, minified and compressed`);
