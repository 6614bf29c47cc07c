import { ApiHeader } from '@nestjs/swagger';

/** Describes the header with which a change says which version it means. */
export const IfMatch = (description: string) =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, examples: ['"7"'] },
  });

/** `"7"`: the tag of a flow's version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * What `If-Match` allows: null for any version (no header, `*`), else the versions that it names. A tag that is not a version of
 * ours allows nothing, so the change is refused with `version_conflict`.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || header.trim() === '*') return null;
  return header
    .split(',')
    .map((tag) => /^"(\d{1,15})"$/.exec(tag.trim())?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}
