import 'reflect-metadata';
import { Controller, Get, Module, Post, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { atLeast, scopes, specialist } from '@weft/access';
import { describe, expect, it } from 'vitest';
import { Public, Requires } from './requires.js';
import { RoutePolicies } from './route-policies.js';

@Controller('good')
class GoodController {
  @Get()
  @Requires(atLeast('viewer'), scopes('api', 'api:read'))
  read(): void {}

  @Post()
  @Public()
  write(): void {}

  /** No route: nobody can call it. */
  work(): void {}
}

@Controller('open')
@Public()
class OpenController {
  @Get()
  read(): void {}
}

@Controller('bad')
class ForgetfulController {
  @Get()
  read(): void {}

  @Post()
  @Requires([atLeast('admin'), specialist('audit_viewer')], scopes('admin'))
  write(): void {}

  @Post('more')
  more(): void {}
}

async function boot(...controllers: Type[]): Promise<void> {
  @Module({ imports: [DiscoveryModule], controllers, providers: [RoutePolicies] })
  class SpecModule {}
  const app = await NestFactory.createApplicationContext(SpecModule, { logger: false, abortOnError: false });
  await app.close();
}

describe('the process', () => {
  it('starts when every handler says who may call it, itself or by its controller', async () => {
    await expect(boot(GoodController, OpenController)).resolves.toBeUndefined();
  });

  it('does not start otherwise, and names every such handler', async () => {
    await expect(boot(GoodController, ForgetfulController)).rejects.toThrow(
      /: ForgetfulController\.read, ForgetfulController\.more$/,
    );
  });
});
