import { createHash } from 'node:crypto';
import { DocumentFault, readApi, readTools, type Overlay } from '@weft/openapi';
import type { OpenapiTask } from '../task.js';
import { archiveOf, unpack } from './archive.js';
import { TaskFailed } from './errors.js';

/** A line of JSON for what the document or the server says of itself with the report, and then one for each operation: `openapiAnswer` reads them. */
export async function importOpenapi({ document, from, overlay, isTools }: OpenapiTask): Promise<string> {
  try {
    const mends = overlay === undefined ? undefined : (JSON.parse(overlay) as Overlay);
    const { facts, report, operations } = isTools
      ? readTools(document)
      : readApi(archiveOf(document) === null ? document : await unpack(document), from, mends);
    const digest = createHash('sha256').update(document).digest('hex');
    return [{ facts, report, digest }, ...operations].map((each) => JSON.stringify(each)).join('\n');
  } catch (error) {
    if (error instanceof DocumentFault) throw new TaskFailed(error.message);
    throw error;
  }
}
