import { sendFile } from '../api/send-file';
import { fileOf, type DocumentDraft } from './document-draft';

/** Uploads what is not at an address. @returns `source` of the requests that name a document. @throws Refusal */
export async function sendDocument(draft: DocumentDraft) {
  const file = fileOf(draft);
  return file === null ? { url: draft.url.trim() } : { payload: await sendFile(file) };
}
