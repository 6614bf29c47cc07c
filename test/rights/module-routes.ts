import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, MODULE_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { policyOf, type RoutePolicy } from '../../apps/api/src/auth/requires.js';

export interface ModuleRoute {
  readonly method: string;
  readonly path: string;
  readonly policy: RoutePolicy | undefined;
  /** `Flows.read` */
  readonly handler: string;
}

/** Every route of a module and of those that it imports, read from the decorators: nothing is started. */
export function moduleRoutes(root: Type): ModuleRoute[] {
  const controllers = new Set<Type>();
  const seen = new Set<unknown>();
  const visit = (module: unknown): void => {
    if (seen.has(module)) return;
    seen.add(module);
    const dynamic = module as { module?: Type; imports?: unknown[]; controllers?: Type[] };
    const type = dynamic.module ?? (module as Type);
    const listed = (key: string): unknown[] => (Reflect.getMetadata(key, type) as unknown[] | undefined) ?? [];
    for (const each of [...listed(MODULE_METADATA.CONTROLLERS), ...(dynamic.controllers ?? [])]) {
      controllers.add(each as Type);
    }
    for (const each of [...listed(MODULE_METADATA.IMPORTS), ...(dynamic.imports ?? [])]) visit(each);
  };
  visit(root);
  return [...controllers].flatMap(routesOf);
}

function routesOf(controller: Type): ModuleRoute[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name] as object;
    if (!Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    return pathsOf(controller).flatMap((base) =>
      pathsOf(handler).map((path) => ({
        method,
        path: `/${[...base.split('/'), ...path.split('/')].filter((part) => part !== '').join('/')}`,
        policy: policyOf(handler, controller),
        handler: `${controller.name.replace(/Controller$/, '')}.${name}`,
      })),
    );
  });
}

function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
}
