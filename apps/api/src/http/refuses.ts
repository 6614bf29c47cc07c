import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { ErrorCode } from '@weft/kernel';

const REFUSES = Symbol('refuses');

/**
 * The refusals of a handler besides those of its guards, path, query and body (`openapi/refusal-codes.ts`). The OpenAPI
 * document lists them, and specs fail on an answer with an undeclared code.
 */
export function Refuses(...codes: readonly ErrorCode[]): CustomDecorator<symbol> {
  return SetMetadata(REFUSES, codes);
}

export function refusesOf(handler: object): readonly ErrorCode[] {
  return (Reflect.getMetadata(REFUSES, handler) as readonly ErrorCode[] | undefined) ?? [];
}
