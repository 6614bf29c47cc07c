import { answerOf, api } from '../api/client';
import { fileOf, type DocumentDraft } from './document-draft';

/** Uploads what is not at an address. @returns `source` of the requests that name a document. @throws Refusal */
export async function sendDocument(draft: DocumentDraft) {
  const file = fileOf(draft);
  if (file === null) return { url: draft.url.trim() };
  const { $ref } = await answerOf(
    api.POST('/api/v1/payloads', {
      params: { query: { filename: file.name } },
      // the types of the API show bytes as a text
      body: file as unknown as string,
      bodySerializer: () => file,
      headers: { 'content-type': file.type || 'application/octet-stream' },
    }),
  );
  return { payload: { $ref } };
}
