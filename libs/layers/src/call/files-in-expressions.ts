/** The texts of files that expressions read with `$text` and `$csv`. */
import { buffer } from 'node:stream/consumers';
import { MAX_INPUT_CHARS } from '@weft/sandbox';
import { LayerFailure, type LayerFiles } from '../layer-module.js';
import { textOfBytes } from '../modules/web-request/read-body.js';

/** By all expressions of a layer together; each of them may make another computation necessary. */
export const MAX_FILES_READ = 50;
/** Of all files together. */
const MAX_BYTES = MAX_INPUT_CHARS;

/**
 * Texts by reference, read when the sandbox has a place for the task: what waits for one holds no files.
 *
 * @throws LayerFailure `invalid_args` for a file that is not kept, `sandbox_limit` beyond 8 MB, `expression_failed` for what is not a text
 */
export async function textsOfFiles(
  refs: readonly string[],
  files: Pick<LayerFiles, 'open'>,
): Promise<Readonly<Record<string, string>>> {
  const texts: [string, string][] = [];
  let left = MAX_BYTES;
  for (const $ref of refs) {
    const file = await files.open({ $ref }, '$text');
    left -= file.bytes;
    if (left < 0) {
      const message = `$text: expressions can read ${MAX_BYTES} bytes of files together, and these have more`;
      throw new LayerFailure('sandbox_limit', `${message}.`);
    }
    const text = textOfBytes(await buffer(file.read()), file.contentType);
    if (text === null)
      throw new LayerFailure('expression_failed', `$text: a file of the type ${file.contentType} is not a text.`);
    texts.push([$ref, text.replace(/^\ufeff/, '')]);
  }
  return Object.fromEntries(texts);
}
