import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { readInput } from '../io/ask.js';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';

/** `weft apis overlay`: an OpenAPI Overlay mends a document that its service does not mend. */
export function overlayCommand(apis: Command, cli: Cli): void {
  apis
    .command('overlay <api> [file]')
    .description('what mends the document of an API at each import; with a file, or - for the input: change it')
    .option('--remove', 'take it away')
    .addHelpText(
      'after',
      examples('weft apis overlay orders mends.yaml', 'weft apis overlay orders', 'weft apis overlay orders --remove'),
    )
    .action(cli.signedIn(overlay));
}

async function overlay(
  session: Session,
  api: string,
  file: string | undefined,
  { remove = false }: { remove?: boolean },
): Promise<void> {
  const { weft, terminal } = session;
  if (file !== undefined && remove) throw new Exit(EXIT.usage, 'Give a file, or --remove.');
  if (file === undefined && !remove) {
    const { overlay: stored } = await weft.apis.get(api);
    return terminal.line(toJson(stored));
  }
  await weft.apis.update(api, { overlay: file === undefined ? null : await readOverlay(session, file) });
  terminal.say(`From the next import on: weft apis refresh ${clean(api)} --dry-run shows what it changes.`);
}

async function readOverlay({ terminal }: Session, file: string): Promise<Record<string, unknown>> {
  try {
    const given: unknown = parse(file === '-' ? await readInput(terminal) : readFileSync(file, 'utf8'));
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
    throw new Error('it is not an object');
  } catch (error) {
    throw new Exit(EXIT.usage, `${clean(file)} cannot be read as JSON or YAML: ${clean((error as Error).message)}`);
  }
}
