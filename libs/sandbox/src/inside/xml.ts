/** `$parseXml`: XML as objects. Document types are refused, and with them entities of a document. */
import type sax from 'sax';
import { TaskFailed } from './errors.js';
import { textOf } from './files.js';
import { whenNeeded } from './when-needed.js';

const library = whenNeeded<typeof sax>('sax');

const MAX_LEVELS = 100;

interface Element {
  readonly name: string;
  readonly fields: Map<string, unknown>;
  text: string;
}

/**
 * `{ name: content }` of the outermost element. An element with nothing but text is that text; otherwise an object: attributes as
 * `@name`, elements by their names (those that repeat as a list), and text between them as `#text`.
 */
export function fromXml(value?: unknown): unknown {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const parser = library().parser(true, { trim: false, position: true });
  const document: Element = { name: '', fields: new Map(), text: '' };
  const open = [document];
  const refuse = (why: string): never => {
    throw new TaskFailed(`$parseXml: line ${parser.line + 1}, column ${parser.column}: ${why}`);
  };
  parser.onerror = ({ message }) => refuse(message.split('\n')[0] ?? '');
  parser.ondoctype = () => refuse('document types are not read');
  parser.onopentag = ({ name, attributes }) => {
    if (open.length === 1 && document.fields.size > 0) refuse('a second outermost element');
    if (open.length > MAX_LEVELS) refuse(`more than ${MAX_LEVELS} levels`);
    const fields = new Map(Object.entries(attributes).map(([attribute, given]) => [`@${attribute}`, given]));
    open.push({ name, fields, text: '' });
  };
  const addText = (part: string): void => {
    const inner = open.at(-1);
    if (inner) inner.text += part;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const [element, outer] = [open.pop(), open.at(-1)];
    if (element && outer) add(outer.fields, element.name, contentOf(element));
  };
  parser.write(text).close();
  if (document.fields.size === 0) refuse('there is no element');
  return contentOf(document);
}

function contentOf({ fields, text }: Element): unknown {
  if (fields.size === 0) return text;
  const between = text.trim();
  if (between !== '') fields.set('#text', between);
  return Object.fromEntries(fields);
}

function add(fields: Map<string, unknown>, name: string, content: unknown): void {
  const before = fields.get(name);
  if (before === undefined) fields.set(name, content);
  else if (Array.isArray(before)) before.push(content);
  else fields.set(name, [before, content]);
}
