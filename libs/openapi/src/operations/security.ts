import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { entriesOf, isObject, listOf, own, textOf, type JsonObject } from '../json.js';
import { MAX_FACTS_CHARS } from '../limits.js';
import type { Warn } from '../schema/schema-library.js';
import type { SchemeUse } from './plan.js';

const FIELDS = ['type', 'description', 'name', 'in', 'scheme', 'bearerFormat', 'openIdConnectUrl', 'flows'];

/** The security schemes of a document by name, with the fields that OpenAPI 3.1 gives them. */
export function schemesIn(
  document: JsonObject,
  references: References,
  warn: Warn,
): Readonly<Record<string, JsonObject>> {
  const path = '#/components/securitySchemes';
  let chars = 0;
  const schemes = entriesOf(own(own(document, 'components'), 'securitySchemes')).flatMap(([name, node]) => {
    try {
      const { value } = references.follow(node);
      const fields = FIELDS.flatMap((field) =>
        own(value, field) === undefined ? [] : [[field, value[field]] as const],
      );
      const scheme = Object.fromEntries(fields);
      chars += JSON.stringify([name, scheme]).length;
      if (chars <= MAX_FACTS_CHARS) return [[name, scheme] as const];
      warn(path, `have more than ${MAX_FACTS_CHARS} characters; the last ones are left out`);
      return [];
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      warn(`${path}/${name}`, error.message);
      return [];
    }
  });
  return Object.fromEntries(schemes);
}

/** What an operation needs; a list of its own, also an empty one, takes the place of the document's. */
export function securityOf(operation: JsonObject, document: JsonObject): readonly (readonly SchemeUse[])[] {
  const uses = own(operation, 'security') ?? own(document, 'security');
  const choices = listOf(uses).filter(isObject);
  const isOpen = choices.some((choice) => Object.keys(choice).length === 0);
  const needed = choices
    .filter((choice) => Object.keys(choice).length > 0)
    .map((choice) =>
      entriesOf(choice).map(([scheme, scopes]) => ({
        scheme,
        scopes: listOf(scopes).filter((each): each is string => typeof each === 'string'),
      })),
    );
  return isOpen ? [...needed, []] : needed;
}

const CREDENTIAL = /^((access|auth)[-_]?token|x-auth-token|(x-)?api[-_]?key)$/i;

/**
 * Whether a link fills the parameter: some documents list the credential among the parameters of each operation.
 *
 * @param isSecured whether the operation needs a credential
 */
export function carriesCredential(
  { name, place }: { readonly name: string; readonly place: string },
  schemes: Readonly<Record<string, JsonObject>>,
  isSecured: boolean,
): boolean {
  if (place === 'path') return false;
  if (isSecured && CREDENTIAL.test(name)) return true;
  return Object.values(schemes).some(
    (scheme) => scheme.type === 'apiKey' && textOf(scheme, 'name') === name && textOf(scheme, 'in') === place,
  );
}
