import { z } from 'zod';
import type { Plain } from './plain.js';

/**
 * What is stored after a change. A field that the change omits stays as it is; one that is an object is replaced as a whole, with
 * what holds for the fields that it leaves out. A field that nothing holds for is left out when it is null.
 */
export function changed<Shape extends z.ZodObject>(
  shape: Shape,
  present: Plain<z.output<Shape>>,
  change: Plain<Partial<z.input<Shape>>>,
): Plain<z.output<Shape>> {
  const was = present as Readonly<Record<string, unknown>>;
  const now = change as Readonly<Record<string, unknown>>;
  const entries = Object.entries<z.ZodType>(shape.shape).flatMap(([name, field]) => {
    const value = now[name] === undefined ? was[name] : field.parse(now[name]);
    return value == null && field.parse(undefined) === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Plain<z.output<Shape>>;
}

/** The fields of a shape, of a document that has others, too. */
export function fieldsIn<Shape extends z.ZodObject>(
  shape: Shape,
  document: Plain<z.output<Shape>>,
): Plain<z.output<Shape>> {
  return changed(shape, document, {} as Plain<Partial<z.input<Shape>>>);
}

/** The shape of a change: every field may be left out, and nothing holds in its place. */
export function changeOf<Shape extends z.ZodObject>(shape: Shape): z.ZodObject<ChangeFields<Shape['shape']>> {
  const fields = Object.entries<z.ZodType>(shape.shape).map(([name, field]) => [name, bare(field).optional()]);
  return z.strictObject(Object.fromEntries(fields) as ChangeFields<Shape['shape']>);
}

type ChangeFields<Fields extends z.ZodRawShape> = {
  [Name in keyof Fields]: z.ZodOptional<z.ZodType<z.output<Fields[Name]>, z.input<Fields[Name]>>>;
};

function bare(field: z.ZodType): z.ZodType {
  const hasDefault = field instanceof z.ZodDefault || field instanceof z.ZodPrefault;
  if (!hasDefault) return field;
  return (field.unwrap() as z.ZodType).meta(field.meta() ?? {});
}
