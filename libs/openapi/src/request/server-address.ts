import { own } from '../json.js';
import type { Server } from '../operations/plan.js';
import { InputFault } from './input-fault.js';

/**
 * The address of a server, without a slash at its end.
 *
 * @param variables values of its variables; the document's defaults hold for others
 * @throws InputFault when it is not an http or https address then
 */
export function serverAddress({ url, variables = {} }: Server, given: Readonly<Record<string, string>> = {}): string {
  const address = url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = own(variables, name) as
      { readonly default: string; readonly enum?: readonly string[] } | undefined;
    const value = own(given, name) ?? variable?.default;
    if (typeof value !== 'string') throw new InputFault('server', `needs a value for its variable "${name}"`);
    if (variable?.enum && !variable.enum.includes(value)) {
      throw new InputFault(
        'server',
        `has the variable "${name}", which must be one of ${variable.enum.slice(0, 20).join(', ')}`,
      );
    }
    return value;
  });
  const parsed = URL.parse(address);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new InputFault(
      'server',
      `"${address.slice(0, 100)}" is not an http or https address: set the address of the API`,
    );
  }
  return address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
}
