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
export const MCP_TOOL = 'mcp-tool';

/** The arguments that name something of the company: whose it is, and what of it. */
export const FACE_ARGS: Readonly<Record<string, readonly [whose: string, what: string]>> = {
  [OPERATION]: ['api', 'operation'],
  [MCP_TOOL]: ['server', 'tool'],
};

/** `<module> <api>/<operation>@<digest>`, the second part as the server knows it; null where the layer names nothing (yet). */
export function faceKeyOf({ appId, args }: Named): string | null {
  const [whose, what] = FACE_ARGS[appId]?.map((name) => args[name]) ?? [];
  if (typeof whose !== 'string' || typeof what !== 'string' || whose === '' || what === '') return null;
  return `${appId} ${whose}/${what}${typeof args.digest === 'string' ? `@${args.digest}` : ''}`;
}

const faceQuery = (named: string) =>
  queryOptions({
    queryKey: ['face', named],
    staleTime: 60_000,
    retry: false,
    queryFn: async () => {
      const [appId = '', key = ''] = named.split(' ');
      return answerOf(api.GET('/api/v1/modules/{appId}/face', { params: { path: { appId }, query: { key } } }));
    },
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
