import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A service of docker-compose.yml, as far as tests look at it. */
export interface ComposeService {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}

/**
 * docker-compose.yml, with these variables and the defaults of the others.
 * @param variables as the environment of `docker compose` gives them
 */
export function readComposeFile(variables: Readonly<Record<string, string>> = {}): ComposeFile {
  const file: unknown = parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8'), { merge: true });
  return resolveAll(file, variables) as ComposeFile;
}

function resolveAll(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((each) => resolveAll(each, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveAll(each, variables)]));
}

/** `${NAME:-default}`, also in a default; `$$` is a dollar. No other form is used in the file. */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  const inner = /(?<!\$)\$\{(\w+):-([^${}]*)\}/;
  const match = inner.exec(text);
  if (match === null) return text.replaceAll('$$', '$');
  const [whole, name = '', otherwise = ''] = match;
  return interpolate(
    text.replace(whole, () => variables[name] || otherwise),
    variables,
  );
}
