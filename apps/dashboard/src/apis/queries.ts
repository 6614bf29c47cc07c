import type { components } from '@weft/client';
import { queryOptions, useQuery, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { answerOf, api } from '../api/client';
import { usePages } from '../ui/use-pages';

type Schemas = components['schemas'];
export type Api = Schemas['Api'];
export type ApiWithReport = Schemas['ApiWithReport'];
export type Report = NonNullable<ApiWithReport['report']>;
export type ApiDiff = Schemas['ApiDiff'];
export type Adoption = Schemas['ApiAdoption']['items'][number];

export const APIS_KEY = ['apis'] as const;
const LIST_KEY = [...APIS_KEY, 'list'] as const;
/** @param id or key */
const oneKey = (id: string) => [...APIS_KEY, 'one', id] as const;
export const diffKey = (id: string) => [...oneKey(id), 'diff'] as const;

/** Newest first. */
export function useApis() {
  const pages = usePages(LIST_KEY, (cursor) =>
    answerOf(api.GET('/api/v1/apis', { params: { query: { size: 20, ...cursor } } })),
  );
  useImportEnd(LIST_KEY, pages.items?.some(({ state }) => state === 'importing') ?? false);
  return pages;
}

/** @param id or key */
export function useApi(id: string) {
  const { queryKey } = apiQuery(id);
  const found = useQuery(apiQuery(id));
  useImportEnd(queryKey, found.data?.state === 'importing');
  return found;
}

/** @param id or key */
export const apiQuery = (id: string) =>
  queryOptions({
    queryKey: oneKey(id),
    queryFn: () => answerOf(api.GET('/api/v1/apis/{id}', { params: { path: { id } } })),
  });

/** With what a new layer of its operations begins. */
export function authOf({ integrationId, mayUseLink }: ApiWithReport) {
  return integrationId !== null && mayUseLink ? { auth: { integrationId } } : {};
}

/** @param q part of the name, the title, the method or the path; empty: all of them @param tag empty: all of them */
export function useOperations({ id, importedAt }: Api, q: string, tag: string) {
  return usePages([...oneKey(id), 'operations', importedAt, q, tag], (cursor) => {
    const query = { size: 50, ...(q !== '' && { q }), ...(tag !== '' && { tag }), ...cursor };
    return answerOf(api.GET('/api/v1/apis/{id}/operations', { params: { path: { id }, query } }));
  });
}

/** With its schemas. */
export const operationQuery = ({ id, importedAt }: Pick<Api, 'id' | 'importedAt'>, name: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'operation', importedAt, name],
    queryFn: () => answerOf(api.GET('/api/v1/apis/{id}/operations/{name}', { params: { path: { id, name } } })),
  });

/** What differences are of: an API, or an MCP server. */
export interface Compared {
  readonly id: string;
  readonly updatedAt: string;
  readonly isServer?: true;
}

/** What the last refresh or comparison has found. */
export const diffQuery = ({ id, updatedAt, isServer }: Compared) =>
  queryOptions({
    queryKey: [...diffKey(id), updatedAt],
    queryFn: () => {
      const params = { path: { id } };
      return isServer
        ? answerOf(api.GET('/api/v1/mcp-servers/{id}/diff', { params }))
        : answerOf(api.GET('/api/v1/apis/{id}/diff', { params }));
    },
  });

/** Has these flows call what differs as it is now. */
export function adopt({ id, isServer }: Compared, flows: string[]) {
  const params = { path: { id } };
  return isServer
    ? answerOf(api.POST('/api/v1/mcp-servers/{id}/adopt', { params, body: { flows } }))
    : answerOf(api.POST('/api/v1/apis/{id}/adopt', { params, body: { flows } }));
}

/** In ms. */
const PAUSES = { first: 700, most: 15_000 } as const;

/**
 * The stream says nothing of imports: while one is under way and somebody looks at it, it is read again, after pauses that
 * grow, until it has ended.
 */
export function useImportEnd(queryKey: QueryKey, isImporting: boolean): void {
  const queries = useQueryClient();
  const read = useEffectEvent(() => {
    // one that takes longer than a pause is not begun anew
    if (!document.hidden) void queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
  });
  useEffect(() => {
    if (!isImporting) return undefined;
    let pauseMs: number = PAUSES.first;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      timer = setTimeout(() => {
        read();
        pauseMs = Math.min(PAUSES.most, pauseMs * 1.3);
        wait();
      }, pauseMs);
    };
    wait();
    return () => clearTimeout(timer);
  }, [isImporting]);
}
