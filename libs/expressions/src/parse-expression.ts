import { MAX_PATH_PARTS, type LiteralExpression, type PathExpression, type Root } from './expression.js';
import { ScanFault, type Scanner } from './scan.js';
import { checkVariable, LINK, unknownVariable } from './variables.js';

/**
 * Reads one expression, from after its `{{` up to and including its `}}`:
 *
 *     expression = path [ "??" literal ] | literal
 *     path       = ( "." name | "$" name ) { "." name | "[" digits "]" | "[" quoted "]" }
 *
 * Throws ScanFault.
 *
 * @param variables that can be read
 */
export function parseExpression(
  scanner: Scanner,
  at: string,
  variables: readonly string[],
): PathExpression | LiteralExpression {
  scanner.skipBlanks();
  const start = scanner.position;
  const literal = scanner.literal();
  if (literal !== undefined) {
    end(scanner);
    return { kind: 'literal', value: literal };
  }
  const { root, ref, steps } = readPath(scanner, variables);
  const path = scanner.text.slice(start, scanner.position);
  scanner.skipBlanks();
  if (!scanner.take('??')) {
    end(scanner);
    return { kind: 'path', source: path, at, root, ref, steps };
  }
  if (root === LINK) throw new ScanFault('$link takes no ??: the layer fails when its link has no such field', true);
  scanner.skipBlanks();
  const value = scanner.literal();
  if (value === undefined) {
    throw new ScanFault(`after ?? comes a text in quotes, a number, true, false or null, not ${scanner.rest()}`);
  }
  end(scanner);
  return { kind: 'path', source: path, at, root, ref, steps, fallback: { value } };
}

type Path = { readonly root: Root; readonly ref: string; readonly steps: readonly (string | number)[] };

function readPath(scanner: Scanner, variables: readonly string[]): Path {
  if (scanner.take('$')) {
    const name = scanner.name();
    if (name === null || !variables.includes(name)) throw new ScanFault(unknownVariable(name, variables));
    const parts = readParts(scanner, []);
    return name === 'prev' ? previous(parts) : variable(name as Root, parts);
  }
  if (variables.includes('prev') && scanner.take('.')) {
    const ref = scanner.name();
    if (ref === null) throw new ScanFault(`after the first dot comes the ref of a layer, not ${scanner.rest()}`);
    return previous(readParts(scanner, [ref]));
  }
  if (!variables.includes('prev')) throw new ScanFault(unknownVariable('', variables));
  const word = scanner.name();
  if (word !== null) throw new ScanFault(`a path begins with a dot or with $: write .${word}, or $prev.${word}`);
  throw new ScanFault(`an expression is a path like .ref.field or $prev.args.name, not ${scanner.rest()}`);
}

function readParts(scanner: Scanner, parts: (string | number)[]): readonly (string | number)[] {
  for (;;) {
    if (scanner.take('.')) {
      const name = scanner.name();
      if (name === null) throw new ScanFault(`after a dot comes a name, not ${scanner.rest()}`);
      parts.push(name);
    } else if (scanner.take('[')) {
      parts.push(readIndex(scanner));
    } else {
      return parts;
    }
    if (parts.length > MAX_PATH_PARTS) throw new ScanFault(`a path has at most ${MAX_PATH_PARTS} parts`);
  }
}

function readIndex(scanner: Scanner): string | number {
  scanner.skipBlanks();
  const index = scanner.digits() ?? scanner.literal();
  if (typeof index !== 'string' && (typeof index !== 'number' || index < 0)) {
    throw new ScanFault('in brackets stands a position from 0, or a name in quotes');
  }
  scanner.skipBlanks();
  if (!scanner.take(']')) throw new ScanFault(`a bracket is not closed before ${scanner.rest()}`);
  return index;
}

/** `$prev` and the leading dot: run arguments under `args`, else the output of a layer. */
function previous(parts: readonly (string | number)[]): Path {
  const [ref, ...steps] = parts;
  if (typeof ref !== 'string') throw new ScanFault('$prev is followed by the ref of a layer, or by args');
  return ref === 'args' ? { root: 'args', ref: '', steps } : { root: 'layer', ref, steps };
}

function variable(root: Root, steps: readonly (string | number)[]): Path {
  const refusal = checkVariable(root, steps, steps.length);
  // to a richer expression there is no $link, and it would say so
  if (refusal !== null) throw new ScanFault(refusal, root === LINK);
  const [ref, ...rest] = steps;
  if (root === 'errors') return { root, ref: String(ref), steps: rest };
  return { root, ref: '', steps };
}

function end(scanner: Scanner): void {
  scanner.skipBlanks();
  if (!scanner.take('}}')) throw new ScanFault(`an expression ends with }}, and here stands ${scanner.rest()}`);
}
