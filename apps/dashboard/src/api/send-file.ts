import { answerOf, api } from './client';

/** Uploads a file. @returns how requests name it @throws Refusal */
export async function sendFile(file: File): Promise<{ readonly $ref: string }> {
  const { $ref } = await answerOf(
    api.POST('/api/v1/payloads', {
      params: { query: { filename: file.name } },
      // the types of the API show bytes as a text
      body: file as unknown as string,
      bodySerializer: () => file,
      headers: { 'content-type': file.type || 'application/octet-stream' },
    }),
  );
  return { $ref };
}
