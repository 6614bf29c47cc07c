import type { components } from '@weft/client';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answerOf, api } from '../api/client';
import type { Schema } from './form-model';
import type { Module } from './modules';

/** What a layer takes and gives by what its arguments name. */
export type Face = components['schemas']['Face'];
type Named = { readonly appId: string; readonly args: Readonly<Record<string, unknown>>; readonly onError?: string };

export const OPERATION = 'operation';

/** As the server knows it: `<api>/<operation>@<digest>`; null where the layer names nothing (yet). */
export function faceKeyOf({ appId, args }: Named): string | null {
  const { api: name, operation, digest } = args;
  if (appId !== OPERATION || typeof name !== 'string' || typeof operation !== 'string') return null;
  if (name === '' || operation === '') return null;
  return `${name}/${operation}${typeof digest === 'string' ? `@${digest}` : ''}`;
}

const faceQuery = (key: string) =>
  queryOptions({
    queryKey: ['face', key],
    staleTime: 60_000,
    retry: false,
    queryFn: async () =>
      answerOf(api.GET('/api/v1/modules/{appId}/face', { params: { path: { appId: OPERATION }, query: { key } } })),
  });

/** Of these layers, by key; those that are read already. */
export function useFaces(layers: readonly Named[]): ReadonlyMap<string, Face> {
  const keys = useMemo(() => [...new Set(layers.map(faceKeyOf).filter((key) => key !== null))], [layers]);
  const found = useQueries({ queries: keys.map(faceQuery), combine: answersOf });
  return useMemo(
    () => new Map(found.flatMap((face, i) => (face ? [[keys[i] ?? '', face] as const] : []))),
    [found, keys],
  );
}

/** The same function each time: what it gives stays the same, too. */
function answersOf(results: readonly { readonly data: Face | undefined }[]): readonly (Face | undefined)[] {
  return results.map(({ data }) => data);
}

/** The output of one call of a layer, or of its pages together. */
export function outShapeOf(layer: Named, modules: readonly Module[], faces: ReadonlyMap<string, Face>): Schema {
  const face = faces.get(faceKeyOf(layer) ?? '');
  if (!face) return modules.find(({ appId }) => appId === layer.appId)?.outSchema ?? {};
  const shape = layer.onError === 'continue' ? withErrors(face) : face.outSchema;
  if (layer.args.paginate === undefined) return shape;
  const { body, ...page } = (shape.properties ?? {}) as Readonly<Record<string, Schema>>;
  const properties = { ...page, json: body };
  return {
    type: 'object',
    properties: { pages: { type: 'array', items: { type: 'object', properties } }, count: { type: 'integer' } },
    ...(shape.$defs !== undefined && { $defs: shape.$defs }),
  };
}

/** Where the play goes on after a failure, later layers read the body of a refused answer in the same place. */
function withErrors({ outSchema, errors }: Face): Schema {
  const { body, ...properties } = (outSchema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const bodies = [...(body ? [body] : []), ...(Object.values(errors) as Schema[])];
  return { ...outSchema, properties: { ...properties, body: { anyOf: bodies } } };
}
