import type { components } from '@weft/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { useImportEnd } from '../apis/queries';
import { usePages } from '../ui/use-pages';

type Schemas = components['schemas'];
export type McpServer = Schemas['McpServer'];
export type McpServerWithReport = Schemas['McpServerWithReport'];

export const SERVERS_KEY = ['mcp-servers'] as const;
const LIST_KEY = [...SERVERS_KEY, 'list'] as const;
/** @param id or key */
const oneKey = (id: string) => [...SERVERS_KEY, 'one', id] as const;

/** Newest first. */
export function useServers() {
  const pages = usePages(LIST_KEY, (cursor) =>
    answerOf(api.GET('/api/v1/mcp-servers', { params: { query: { size: 20, ...cursor } } })),
  );
  useImportEnd(LIST_KEY, pages.items?.some(({ state }) => state === 'importing') ?? false);
  return pages;
}

/** @param id or key */
export function useServer(id: string) {
  const queryKey = oneKey(id);
  const found = useQuery({
    queryKey,
    queryFn: () => answerOf(api.GET('/api/v1/mcp-servers/{id}', { params: { path: { id } } })),
  });
  useImportEnd(queryKey, found.data?.state === 'importing');
  return found;
}

/** @param q part of the name or the title; empty: all of them */
export function useTools({ id, importedAt }: McpServer, q: string) {
  return usePages([...oneKey(id), 'tools', importedAt, q], (cursor) => {
    const query = { size: 50, ...(q !== '' && { q }), ...cursor };
    return answerOf(api.GET('/api/v1/mcp-servers/{id}/tools', { params: { path: { id }, query } }));
  });
}

/** With its schemas. */
export const toolQuery = ({ id, importedAt }: McpServer, name: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'tool', importedAt, name],
    queryFn: () => answerOf(api.GET('/api/v1/mcp-servers/{id}/tools/{name}', { params: { path: { id, name } } })),
  });
