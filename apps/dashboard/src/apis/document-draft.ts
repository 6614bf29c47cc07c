/** Where a form says that an OpenAPI document is. Pure, but for the file. */
import { bytesText } from '../ui/bytes';

/** `same`: where it was before. */
export type DocumentPlace = 'same' | 'url' | 'file' | 'text';

export interface DocumentDraft {
  readonly from: DocumentPlace;
  readonly url: string;
  readonly file: File | null;
  readonly text: string;
}

export const NO_DOCUMENT: DocumentDraft = { from: 'url', url: '', file: null, text: '' };

/** docs/apis.md: what a scheduler reads of a document at the most. */
const MOST_BYTES = 16 * 1_024 * 1_024;

/** What is uploaded; null when the document is at an address, or is not given yet. A pasted one may be larger than a request. */
export function fileOf({ from, file, text }: DocumentDraft): File | null {
  if (from === 'file') return file;
  return from === 'text' && text.trim() !== '' ? new File([text], 'openapi.txt', { type: 'text/plain' }) : null;
}

export function isGiven(draft: DocumentDraft): boolean {
  if (draft.from === 'same') return true;
  if (draft.from === 'url') return draft.url.trim() !== '';
  return fileOf(draft) !== null && tooLarge(draft) === null;
}

/** In words; null when it is not too large, or its size is not known. */
export function tooLarge(draft: DocumentDraft): string | null {
  const bytes = fileOf(draft)?.size ?? 0;
  return bytes > MOST_BYTES ? `It has ${bytesText(bytes)}; a document has ${bytesText(MOST_BYTES)} at most.` : null;
}

/** What the API is called when nobody says it; empty: somebody has to. */
export function nameFor({ from, url, file, text }: DocumentDraft): string {
  if (from === 'text') return titleIn(text);
  if (from === 'file') return file?.name.replace(/(\.tar)?\.[a-z]+$/i, '') ?? '';
  return from === 'url' && URL.canParse(url.trim()) ? new URL(url.trim()).hostname : '';
}

/** Where the title of a document mostly is. */
const INFO_CHARS = 10_000;

/** As the document calls itself, in JSON or YAML; empty where that is not plain to see. */
function titleIn(text: string): string {
  const info = /(?:^|[\s{,"])info"?\s*:/.exec(text.slice(0, INFO_CHARS));
  if (!info) return '';
  const after = text.slice(info.index, info.index + INFO_CHARS);
  const found = /[\s{,"]title"?\s*:\s*(?:"([^"\\\n]*)"|'([^'\n]*)'|([^\s"'{[|>&*!#][^\n#]*))/.exec(after);
  return (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim().slice(0, 200);
}
