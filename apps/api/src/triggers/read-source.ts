import { WeftError, type FieldError } from '@weft/kernel';
import type { SourceGiven, SourceType } from '@weft/shapes';

/** The fields of each type of source: those that it needs, and what holds for the others. */
const SOURCES: Readonly<
  Record<SourceType, { readonly needs: readonly (keyof SourceGiven)[]; readonly else: SourceGiven }>
> = {
  kafka: { needs: ['integrationId', 'topic'], else: { start: 'latest', onPoison: 'skip' } },
};

/** What only an address has: each field, and whether a trigger says something of it. */
const OF_HOOKS = [
  'verifier',
  'methods',
  'challenge',
  'respond',
  'action',
  'max_bytes',
  'secret_names',
  'wait',
] as const;
type Given = Readonly<Partial<Record<(typeof OF_HOOKS)[number], unknown>>>;

/**
 * What a trigger reads, with what holds where it says nothing.
 *
 * @param fields the rest of the trigger
 * @throws WeftError `invalid_body`
 */
export function readSource(type: SourceType, given: SourceGiven | null | undefined, fields: Given): SourceGiven {
  const { needs, else: otherwise } = SOURCES[type];
  const known = [...needs, ...Object.keys(otherwise)];
  const source = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
  const faults = [
    ...OF_HOOKS.filter((name) => fields[name] != null && fields[name] !== 0).map((name) =>
      fault(name, `${name} belongs to triggers that have an address, and this one is of type ${type}`),
    ),
    ...Object.keys(source)
      .filter((name) => !known.includes(name))
      .map((name) => fault(`source.${name}`, `${name} is not a field of a source of type ${type}`)),
    ...needs
      .filter((name) => source[name] === undefined)
      .map((name) => fault(`source.${name}`, `a source of type ${type} needs ${name}`)),
  ];
  if (faults[0]) throw new WeftError('invalid_body', `${faults[0].message}.`, { errors: faults });
  return { ...otherwise, ...source };
}

function fault(path: string, message: string): FieldError {
  return { path, code: 'invalid', message };
}
