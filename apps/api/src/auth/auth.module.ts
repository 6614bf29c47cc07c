import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { SETTINGS, type Settings } from '@weft/config';
import { IdentityModule, LoginThrottle, PasswordHasher, SharedLoginThrottle } from '@weft/identity';
import { CLOCK, type Clock } from '@weft/kernel';
import { REDIS, type Redis } from '@weft/redis';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuthController } from './auth.controller.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { AuthorizationGuard } from './authorization.guard.js';
import { BearerStrategy } from './bearer.strategy.js';
import { ChosenPasswords } from './chosen-passwords.js';
import { LoginRedirectFilter } from './login-redirect.js';
import { OpenedAccounts } from './opened-accounts.js';
import { PasswordsController } from './passwords.controller.js';
import { PasswordsService } from './passwords.service.js';
import { RoutePolicies } from './route-policies.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SignInService } from './sign-in.service.js';

/**
 * Authenticates and authorizes the caller for every handler of the process: the guards are global. Nest runs global guards in
 * the order of their modules, and global filters in reverse order.
 */
@Module({
  imports: [DiscoveryModule, IdentityModule],
  controllers: [AuthController, PasswordsController, SessionsController, ApiKeysController],
  providers: [
    BearerStrategy,
    SignInService,
    PasswordsService,
    OpenedAccounts,
    ChosenPasswords,
    // one of each: what they bound is the process
    { provide: PasswordHasher, useFactory: () => new PasswordHasher() },
    {
      provide: SharedLoginThrottle,
      useFactory: (clock: Clock, redis: Redis, { queue }: Settings) =>
        new SharedLoginThrottle(new LoginThrottle(clock), redis, queue.prefix),
      inject: [CLOCK, REDIS, SETTINGS],
    },
    ApiKeysService,
    RoutePolicies,
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: AuthorizationGuard },
    { provide: APP_FILTER, useClass: LoginRedirectFilter },
  ],
  exports: [ChosenPasswords, OpenedAccounts, PasswordHasher],
})
export class AuthModule {}
