import { entriesOf, isObject, textOf, type JsonObject } from '../json.js';
import { MAX_DOCUMENT_BYTES } from '../limits.js';
import { DocumentFault, Unusable } from './document-fault.js';
import { References } from './references.js';

type Changeable = Record<string, unknown>;

/**
 * Puts the paths, operations, parameters and responses of other files in their places: the upgrade from Swagger 2.0 knows them only
 * there. Its schemas stay references, which may be in circles.
 *
 * @param document has the other files among its `definitions`
 * @throws DocumentFault
 */
export function putInParts(document: Changeable): void {
  const parts = new Parts(document);
  for (const name of ['parameters', 'responses', 'securityDefinitions', 'paths']) parts.putIn(document, name);
  parts.putInEach(document.parameters);
  parts.putInEach(document.responses);
  parts.putInEach(document.paths);
  for (const [, item] of entriesOf(document.paths)) {
    parts.putInEach(item);
    for (const [name, of] of entriesOf(item)) {
      parts.putInEach(name === 'parameters' ? of : (of as JsonObject | null)?.parameters);
      if (!isObject(of)) continue;
      parts.putIn(of, 'responses');
      parts.putInEach(of.responses);
    }
  }
}

class Parts {
  private readonly references: References;
  private chars = 0;

  constructor(document: JsonObject) {
    this.references = new References(document);
  }

  putInEach(values: unknown): void {
    if (typeof values === 'object' && values !== null) for (const name of Object.keys(values)) this.putIn(values, name);
  }

  /** What cannot be followed stays: where an operation needs it, the import says so. */
  putIn(values: object, name: string): void {
    const value = (values as Changeable)[name];
    if (textOf(value, '$ref')?.startsWith('#/definitions/') !== true) return;
    try {
      const json = JSON.stringify(this.references.follow(value).value);
      this.chars += json.length;
      if (this.chars > MAX_DOCUMENT_BYTES) {
        throw new DocumentFault(
          `The parts of the document have more than ${MAX_DOCUMENT_BYTES} bytes in their places.`,
        );
      }
      // the upgrade changes each by itself
      (values as Changeable)[name] = JSON.parse(json);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
    }
  }
}
