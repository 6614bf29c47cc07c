import type { INestApplication } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';

export type Paths = OpenAPIObject['paths'];
export type Operation = NonNullable<Paths[string]['get']>;

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** The handler of an operation: its metadata say who may call it, its inputs and its refusals. */
export interface Handler {
  readonly method: object;
  readonly controller: object;
}

/** One operation of the document. */
export interface Place {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly operation: Operation;
}

export function placesOf(paths: Paths): Place[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
}

/** The name that an operation has from its handler, `Flows_create`. */
export function operationIdOf(controller: string, method: string): string {
  return `${controller.replace(/Controller$/, '')}_${method}`;
}

/** Every handler of the process by the name of its operation. */
export function handlersOf(app: INestApplication): ReadonlyMap<string, Handler> {
  const discovery = app.get(DiscoveryService, { strict: false });
  const scanner = app.get(MetadataScanner, { strict: false });
  const found = discovery.getControllers().flatMap(({ metatype }) => {
    const { prototype, name } = metatype as unknown as { prototype: Record<string, object>; name: string };
    return scanner
      .getAllMethodNames(prototype)
      .map((method): [string, Handler] => [
        operationIdOf(name, method),
        { method: prototype[method] as object, controller: metatype as object },
      ]);
  });
  return new Map(found.filter(([, { method }]) => Reflect.hasMetadata(PATH_METADATA, method)));
}

/**
 * Gives each operation a unique id. Swagger numbers the paths of one handler (`Flows_create[0]`). Mostly one path is left and
 * needs no number; an operation with two paths in the contract is distinguished by the first word of the path (`Auth_logout`,
 * `Auth_logout_auth`).
 *
 * @returns the handlers' names by operation
 */
export function nameOperations(places: readonly Place[]): ReadonlyMap<Operation, string> {
  const names = new Set<string>();
  const handlers = new Map<Operation, string>();
  for (const { path, operation } of [...places].sort(apiFirst)) {
    const id = (operation.operationId ?? '').replace(/\[\d+\]$/, '');
    const place = path.replace(/^\/api\/v1/, '').split('/')[1] ?? '';
    operation.operationId = names.has(id) ? `${id}_${place}` : id;
    names.add(operation.operationId);
    handlers.set(operation, id);
  }
  return handlers;
}

function apiFirst(a: Place, b: Place): number {
  return Number(b.path.startsWith('/api/')) - Number(a.path.startsWith('/api/'));
}
