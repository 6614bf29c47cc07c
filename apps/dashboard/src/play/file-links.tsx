import { Button } from '@mantine/core';
import { fileIdOf, type FileValue } from '@weft/contracts';
import { bytesText } from '../ui/bytes';

/** Files of one output that are offered; all are in the output itself. */
const MOST_SHOWN = 20;

/** The files that an output refers to, to be saved. The API gives them as attachments. */
export function FileLinks({ value }: { readonly value: unknown }) {
  return filesIn(value).map(({ $ref, filename, bytes }) => (
    <Button key={$ref} component="a" href={$ref} download={filename ?? 'file'} variant="default">
      Download {filename ?? 'file'} ({bytesText(bytes)})
    </Button>
  ));
}

export function filesIn(value: unknown, found: FileValue[] = []): readonly FileValue[] {
  if (typeof value !== 'object' || value === null || found.length >= MOST_SHOWN) return found;
  if (isFile(value)) {
    if (!found.some(({ $ref }) => $ref === value.$ref)) found.push(value);
    return found;
  }
  for (const inner of Object.values(value)) filesIn(inner, found);
  return found;
}

function isFile(value: object): value is FileValue {
  const { bytes, filename } = value as Partial<FileValue>;
  return fileIdOf(value) !== null && typeof bytes === 'number' && (filename === null || typeof filename === 'string');
}
