import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { ErrorCode } from '@weft/kernel';

const REFUSES = Symbol('refuses');

/**
 * What a handler refuses with besides what follows from its guards, path, query and body (`openapi/refusal-codes.ts`). The OpenAPI
 * document shows it, and specs fail on an answer with a code that is not said here.
 */
export function Refuses(...codes: readonly ErrorCode[]): CustomDecorator<symbol> {
  return SetMetadata(REFUSES, codes);
}

export function refusesOf(handler: object): readonly ErrorCode[] {
  return (Reflect.getMetadata(REFUSES, handler) as readonly ErrorCode[] | undefined) ?? [];
}
