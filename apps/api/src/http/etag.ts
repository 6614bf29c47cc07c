import { ApiHeader } from '@nestjs/swagger';

/** Describes the header with which a change says which version it means. */
export const IfMatch = (description: string) =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, examples: ['"7"'] },
  });

/** What a tag of ours names: a version of a flow, and in the tag of a document also the state of its test cases. */
export interface FlowTag {
  readonly version: number;
  /** As `documentTag` makes it; null: the test cases do not matter. */
  readonly cases: string | null;
}

/** `"7"`: the tag of a flow's version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * The versions that `If-Match` allows: null for any (no header, `*`), else those that it names, also in tags of documents. A tag
 * that is not one of ours allows nothing, so the change is refused with `version_conflict`.
 */
export function parseIfMatch(header: string | undefined): readonly number[] | null {
  return parseTags(header)?.map(({ version }) => version) ?? null;
}

/**
 * A tag of ours, also as a proxy passes it on that compresses answers: nginx makes it weak, others write into it how they have
 * compressed. It still means what we said.
 */
const TAG = /^(?:W\/)?"(\d{1,15})(?:-([0-9a-f]{16}))?(?:-gzip|;gzip|-br|-zstd)?"$/;

/** The same with what the tags say of test cases. */
export function parseTags(header: string | undefined): readonly FlowTag[] | null {
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').flatMap((tag) => {
    const [, version, cases = null] = TAG.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [{ version: Number(version), cases }];
  });
}
