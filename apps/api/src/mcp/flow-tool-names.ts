/** Names of tools that are flows. Pure. */
import { isId } from '@weft/kernel';

/** The SDK keeps tools by name in a plain object. */
const OF_OBJECTS = Object.getOwnPropertyNames(Object.prototype);

export interface NamedFlow {
  readonly tool: string;
  readonly id: string;
}

/**
 * What its maker called it, unless another tool has that name or could have it: then its id follows. So a name tells which flow
 * it is, without the list.
 *
 * @param reserved names of the tools of Weft
 * @param listed `tool` of the flow before it in the list
 */
export function nameOf({ tool, id }: NamedFlow, reserved: ReadonlySet<string>, listed: string | null): string {
  const isPlain = tool !== listed && isFree(tool, reserved) && withId(tool) === null;
  return isPlain ? tool : `${tool}_${id}`;
}

export function isFree(name: string, reserved: ReadonlySet<string>): boolean {
  return !reserved.has(name) && !OF_OBJECTS.includes(name);
}

/** Tool and id of a name with an id; null: the name is without. */
export function withId(name: string): NamedFlow | null {
  const at = name.lastIndexOf('_');
  const id = name.slice(at + 1);
  return at > 0 && isId(id) ? { tool: name.slice(0, at), id } : null;
}
