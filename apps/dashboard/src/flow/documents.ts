import { answerOf, api } from '../api/client';
import { jsonText } from '../values/json-text';
import type { Flow } from './queries';

/** Gives the browser the document as a file. */
export async function downloadDocument({ id, name }: Flow): Promise<void> {
  const document_ = await answerOf(api.GET('/api/v1/flows/{flowId}/export', { params: { path: { flowId: id } } }));
  const url = URL.createObjectURL(new Blob([`${jsonText(document_)}\n`], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${fileName(name)}.flow.json` });
  link.click();
  URL.revokeObjectURL(url);
}

/** A paused flow with the same content, but for what a document leaves out: ids of the company, and secrets. */
export async function duplicate({ id }: Flow, name: string): Promise<Flow> {
  const exported = await answerOf(api.GET('/api/v1/flows/{flowId}/export', { params: { path: { flowId: id } } }));
  return answerOf(api.POST('/api/v1/flows/import', { body: { document: exported, name } }));
}

export const fileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '') || 'flow';
