import { createContext, use, type ReactNode } from 'react';
import type { Choice } from './choices';
import type { Known } from './expression';
import type { Field } from './form-model';
import type { Problem } from './problems';
import type { Unreadable } from './unreadable';

export interface FieldRowProps {
  readonly field: Field;
  readonly value: unknown;
  /** Where it is in the layer: `args.url`. */
  readonly path: string;
  readonly onChange: (value: unknown) => void;
  /** Takes it away; without it the field stays. */
  readonly onRemove?: (() => void) | undefined;
  /** What it is called, where it has no name of its own: an item of a list. */
  readonly label?: string;
  /** One line, where the kind of the field lets it: `item` has no name that says anything. */
  readonly compact?: 'item' | 'entry';
}

export interface PlainTextProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly onChange: (text: string) => void;
}

/** What all fields of one layer's form share. */
export interface FormState {
  readonly layerKey: string;
  readonly known: Known;
  /** Of this layer. */
  readonly problems: readonly Problem[];
  readonly isReadOnly: boolean;
  /** The control of texts where values stand as they are: an expression would only be a text. */
  readonly renderText?: (props: PlainTextProps) => ReactNode;
  /** What may stand in a field as it is: refs, ids. */
  readonly choicesOf: (path: string) => readonly Choice[] | undefined;
  /** Texts that are no JSON yet, by layer and field: they are kept as they are, and nothing is saved with them. */
  readonly unreadable: Unreadable;
  readonly changeUnreadable: (change: (now: Unreadable) => Unreadable) => void;
  /** Fields have fields in them: each is made by this. */
  readonly renderField: (props: FieldRowProps, key: string) => ReactNode;
}

export const FormContext = createContext<FormState | null>(null);

export function useForm(): FormState {
  const state = use(FormContext);
  if (!state) throw new Error('a field outside of a form');
  return state;
}
