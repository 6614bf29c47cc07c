import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Principal } from '@weft/access';
import { ApiKeyTokens, CredentialChecker, refusalOf, TOKEN_AUDIENCE, TOKEN_ISSUER } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

const NAME = 'api-key';
const tokenOf = ExtractJwt.fromAuthHeaderAsBearerToken();

type Middleware = (request: unknown, reply: unknown, next: (error: Error) => void) => void;

/** Two applications of one process (tests) must not share passport's global table: each strategy has its own. */
const AUTHENTICATORS = new WeakMap<object, passport.Authenticator>();

/** Verifies a bearer token that is not cached: passport-jwt verifies the signature, then the store gives its principal. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, NAME) {
  constructor(
    private readonly tokens: ApiKeyTokens,
    private readonly checker: CredentialChecker,
  ) {
    super({
      jwtFromRequest: tokenOf,
      algorithms: ['HS256'],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      passReqToCallback: true,
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: Buffer) => void) => {
        try {
          // jsonwebtoken takes a key object, and faster than a buffer; only the types of passport-jwt don't say so
          done(null, tokens.keyFor(token) as unknown as Buffer);
        } catch (error) {
          done(error);
        }
      },
    });
  }

  validate(request: FastifyRequest, payload: unknown): Promise<Principal> {
    return this.checker.verifyBearer(tokenOf(request) ?? '', this.tokens.claimsOf(payload));
  }

  /** @throws WeftError `token_invalid`, `token_expired`, `token_revoked` */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, principal: Principal | false | undefined, info: unknown): void => {
        if (error) reject(error);
        else if (principal) resolve(principal);
        else reject(info instanceof WeftError ? info : refusalOf(info));
      };
      const authenticate = this.getPassportInstance().authenticate(NAME, { session: false }, settle) as Middleware;
      authenticate(request, reply, reject);
    });
  }

  /** Asked by the constructor of the mixin. */
  getPassportInstance(): passport.Authenticator {
    let authenticator = AUTHENTICATORS.get(this);
    if (!authenticator) AUTHENTICATORS.set(this, (authenticator = new passport.Authenticator()));
    return authenticator;
  }
}
