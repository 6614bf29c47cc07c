import { ANY_TYPE } from '../fields.js';
import type { Schema } from '../schema.js';

/**
 * Converts what the framework writes in the dialect of OpenAPI 3.0 to 3.1: `nullable: true` becomes null among the types, and
 * a field with any value gets no type (the framework writes lists of types, some with its own word for any).
 */
export function inDialect31(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inDialect31);
  if (value === null || typeof value !== 'object') return value;
  const { nullable, ...rest } = value as Schema & { nullable?: unknown };
  const inner = Object.fromEntries(
    Object.entries(rest)
      .filter(([name, each]) => name !== 'type' || ![each].flat().includes(ANY_TYPE))
      .map(([name, each]) => [name, inDialect31(each)]),
  );
  // any value may be null
  if (nullable === true && 'type' in rest && !('type' in inner)) return inner;
  if (nullable !== true) return nullable === undefined ? inner : { ...inner, nullable: inDialect31(nullable) };
  if (typeof inner.type === 'string') {
    const withNull = { ...inner, type: [inner.type, 'null'] };
    return Array.isArray(inner.enum) ? { ...withNull, enum: [...(inner.enum as unknown[]), null] } : withNull;
  }
  return { anyOf: [inner, { type: 'null' }] };
}
