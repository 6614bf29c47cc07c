/** Names of fields as callers write them: a twin of a name is read as the name, and a name that is near one is suggested. */
import { Suggestions } from '@weft/expressions';

/** The same name in the other spelling: `flow_id` for `flowId`, and the reverse. */
export function twinOf(name: string): string {
  return name.includes('_')
    ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Longer names are nobody's: they are not looked at. */
const MAX_NAME_CHARS = 100;

/** The field that is meant by a name: its own, or its twin's; undefined when the name means no field. */
export function fieldMeant(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return name;
  if (name.length > MAX_NAME_CHARS) return undefined;
  const twin = twinOf(name);
  return known.has(twin) ? twin : undefined;
}

/** Names that are listed where none is near. */
const MAX_LISTED = 20;

/** What is added to the refusal of unknown names: which ones were perhaps meant; once, where none is near, which there are. */
export class FieldHints {
  private suggestions?: Suggestions;
  private isListed = false;

  constructor(private readonly known: ReadonlySet<string>) {}

  for(name: string): string {
    this.suggestions ??= new Suggestions([...this.known]);
    const near = this.suggestions.for(name);
    if (near.length > 0) return ` (did you mean ${near.join(', ')}?)`;
    if (this.isListed || this.known.size === 0) return '';
    this.isListed = true;
    const names = [...this.known].slice(0, MAX_LISTED).join(', ');
    return ` (there are ${names}${this.known.size > MAX_LISTED ? ' and others' : ''})`;
  }
}
