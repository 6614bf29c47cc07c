import {
  autocompletion,
  completionKeymap,
  startCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  repositionTooltips,
  ViewPlugin,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import type { Choice } from './choices';
import { suggestionsAt } from './completion';
import type { Known } from './expression';
import { noteField } from './insert-path';
import { changeTo } from './text-change';
import classes from './code-field.module.css';

export interface CodeFieldProps {
  readonly value: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
  readonly language: 'expression' | 'program' | 'json';
  /** What completion knows; none without it. */
  readonly known?: Known | undefined;
  /** What may stand here as it is. */
  readonly choices?: readonly Choice[] | undefined;
  readonly isReadOnly?: boolean;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
  readonly hint?: string;
  /** Of its own, where it is no part of what the page undoes. */
  readonly hasUndo?: boolean;
  /** What was selected in the plain field that it takes the place of; null: the focus was elsewhere. */
  readonly selected?: RefObject<Selected | null>;
}

/** From where to where, as it was selected. */
export interface Selected {
  readonly anchor: number;
  readonly head: number;
}

const look = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { padding: '0.3rem 0', caretColor: 'var(--mantine-color-text)' },
  '.cm-line': { padding: '0 0.55rem' },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '.cm-tooltip': {
    background: 'var(--panel)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--mantine-radius-sm)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '16rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.55rem', minHeight: '24px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75', marginLeft: '0.75rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '650' },
});

const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--accent-ink)' },
    { tag: tags.string, color: 'var(--state-done)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--state-run)' },
  ]),
);

const marker = new MatchDecorator({
  regexp: /\{\{[\s\S]*?\}\}/g,
  decoration: Decoration.mark({ class: classes.expression ?? '' }),
});

const braces = ViewPlugin.define(
  (view) => ({
    marks: marker.createDeco(view),
    update(change) {
      this.marks = marker.updateDeco(change, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);

/** A text with expressions, a program, or JSON. Undo is that of the page around it. */
export function CodeField(props: CodeFieldProps) {
  const {
    value,
    label,
    language,
    isReadOnly = false,
    describedBy,
    isInvalid = false,
    hint = '',
    hasUndo = false,
  } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const [attributes] = useState(() => new Compartment());
  const tell = useEffectEvent((text: string) => {
    if (text !== value) props.onChange(text);
  });
  const offer = useEffectEvent((focused: EditorView) => {
    if (props.choices && value === '') startCompletion(focused);
  });
  const complete = useEffectEvent((context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const found = props.known ? suggestionsAt(props.known, before, language === 'program') : null;
    if (!found) {
      if (!props.choices || before.includes('{{')) return null;
      return {
        from: 0,
        options: props.choices.map((each) => ({ label: each.label, detail: each.value, apply: each.value })),
      };
    }
    if (!context.explicit && language === 'program' && !/[.$\w]$/.test(before)) return null;
    return {
      from: found.from,
      // their order is that of likelihood, where what is written fits several equally well
      options: found.options.map((each, i) => ({
        label: each.label,
        detail: each.detail,
        boost: Math.max(-99, 99 - i),
      })),
      ...(found.isWhole && { filter: false }),
    };
  });
  const first = useEffectEvent(() => value);
  const described = useEffectEvent(() => toAttributes({ label, describedBy, isInvalid, isReadOnly }));
  const begin = useEffectEvent((made: EditorView) => {
    const at = props.selected?.current ?? null;
    if (at === null) return;
    const { length } = made.state.doc;
    made.dispatch({ selection: { anchor: Math.min(at.anchor, length), head: Math.min(at.head, length) } });
    made.focus();
  });
  // at once, with the focus of the plain field: no key that is pressed meanwhile goes astray
  useLayoutEffect(() => {
    if (!host.current) return;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first(),
        extensions: [
          EditorView.cspNonce.of(document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? ''),
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          attributes.of(described()),
          placeholder(hint),
          look,
          ...(hasUndo ? [history(), keymap.of(historyKeymap)] : []),
          ...(language === 'json' ? [json(), colours] : [braces]),
          autocompletion({ override: [(context) => complete(context)], icons: false, maxRenderedOptions: 50 }),
          keymap.of([{ key: 'Ctrl-Space', run: startCompletion }, ...completionKeymap, ...standardKeymap]),
          EditorView.updateListener.of(({ docChanged, focusChanged, state, view: shown }) => {
            if (docChanged) tell(state.doc.toString());
            if (!focusChanged || !shown.hasFocus) return;
            if (language !== 'json' && !isReadOnly) noteField(shown, language === 'program');
            setTimeout(() => offer(shown));
          }),
        ],
      }),
    });
    view.current = made;
    begin(made);
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [language, isReadOnly, hint, hasUndo, attributes]);
  useEffect(() => {
    const shown = view.current;
    if (!shown || shown.state.doc.toString() === value) return;
    shown.dispatch(changeTo(value, shown.state));
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({
      effects: attributes.reconfigure(toAttributes({ label, describedBy, isInvalid, isReadOnly })),
    });
  }, [attributes, label, describedBy, isInvalid, isReadOnly]);
  // what is around the field may have moved it
  useEffect(() => {
    if (view.current) repositionTooltips(view.current);
  });
  return <div ref={host} className={classes.box} {...(isInvalid && { 'data-invalid': true })} />;
}

type Described = Pick<CodeFieldProps, 'label' | 'describedBy' | 'isInvalid' | 'isReadOnly'>;

function toAttributes({ label, describedBy, isInvalid, isReadOnly }: Described): Extension {
  return EditorView.contentAttributes.of({
    'aria-label': label,
    ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
    ...(isInvalid && { 'aria-invalid': 'true' }),
    ...(isReadOnly && { 'aria-readonly': 'true' }),
  });
}
