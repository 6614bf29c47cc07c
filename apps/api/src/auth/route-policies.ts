import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { policyOf } from './requires.js';

/** Keeps the process from starting while a handler says neither `@Public()` nor `@Requires(…)`: docs/security.md S5. */
@Injectable()
export class RoutePolicies implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error naming every such handler */
  onModuleInit(): void {
    const open = this.discovery.getControllers().flatMap(({ metatype }) => (metatype ? this.undecided(metatype) : []));
    if (open.length > 0) throw new Error(`These handlers need @Public() or @Requires(who, scopes): ${open.join(', ')}`);
  }

  private undecided(controller: object): string[] {
    const { prototype, name } = controller as { prototype: Record<string, object>; name: string };
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((method) => {
        const handler = prototype[method];
        return handler && Reflect.hasMetadata(PATH_METADATA, handler) && !policyOf(handler, controller);
      })
      .map((method) => `${name}.${method}`);
  }
}
