import { isObject, own, textOf, type JsonObject } from '../json.js';
import { MAX_CHAIN } from '../limits.js';
import { Unusable } from './document-fault.js';

/** What the references of a document refer to. A reference out of the document is never followed. */
export class References {
  private readonly document: JsonObject;
  private readonly found = new Map<string, unknown>();

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** @throws Unusable */
  target(ref: string): unknown {
    if (!this.found.has(ref)) this.found.set(ref, this.find(ref));
    const target = this.found.get(ref);
    if (target === undefined) throw new Unusable(`refers to "${ref.slice(0, 200)}", which the document does not have`);
    return target;
  }

  /**
   * The object itself, or what it refers to in the end, with the last reference.
   *
   * @throws Unusable
   */
  follow(value: unknown): { readonly value: JsonObject; readonly ref: string | null } {
    let at = value;
    let ref: string | null = null;
    const seen = new Set<string>();
    for (let next = refOf(at); next !== undefined; next = refOf(at)) {
      if (seen.has(next)) throw new Unusable(`refers to "${next.slice(0, 200)}", which refers to itself`);
      if (seen.size >= MAX_CHAIN) throw new Unusable(`refers to a chain of more than ${MAX_CHAIN} references`);
      seen.add(next);
      ref = next;
      at = this.target(next);
    }
    if (!isObject(at))
      throw new Unusable(
        ref === null ? 'is not an object' : `refers to "${ref.slice(0, 200)}", which is not an object`,
      );
    return { value: at, ref };
  }

  private find(ref: string): unknown {
    if (ref !== '#' && !ref.startsWith('#/')) {
      throw new Unusable(`refers to "${ref.slice(0, 200)}", which is outside of the document`);
    }
    let at: unknown = this.document;
    for (const step of ref === '#' ? [] : ref.slice(2).split('/')) {
      const name = unescaped(step);
      at = Array.isArray(at)
        ? /^\d{1,6}$/.test(name)
          ? (at as readonly unknown[])[Number(name)]
          : undefined
        : own(at, name);
    }
    return at;
  }
}

function refOf(value: unknown): string | undefined {
  return textOf(value, '$ref');
}

/** RFC 6901 in a fragment (RFC 3986); a name that is not percent-encoded as it should be is taken as it is. */
export function unescaped(step: string): string {
  let name = step;
  try {
    name = decodeURIComponent(step);
  } catch {
    // "100%" is a name that some documents have
  }
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
