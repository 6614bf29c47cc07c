import { DocumentFault, readApi } from '@weft/openapi';
import type { OpenapiTask } from '../task.js';
import { TaskFailed } from './errors.js';

/** A line of JSON for what the document says of itself with the report, and then one for each operation: `openapiAnswer` reads them. */
export function importOpenapi({ document, from }: OpenapiTask): string {
  try {
    const { facts, report, operations } = readApi(document, from);
    return [{ facts, report }, ...operations].map((each) => JSON.stringify(each)).join('\n');
  } catch (error) {
    if (error instanceof DocumentFault) throw new TaskFailed(error.message);
    throw error;
  }
}
