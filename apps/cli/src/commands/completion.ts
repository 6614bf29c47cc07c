import type { Command } from 'commander';
import { EXIT, Exit } from '../io/exit.js';
import type { Cli } from '../session/cli.js';

/** The words that may follow each path of commands. */
type Words = ReadonlyMap<string, readonly string[]>;

export function completionCommand(program: Command, cli: Cli): void {
  program
    .command('completion <shell>')
    .description('a script for bash, zsh or fish: source <(weft completion bash)')
    .action((shell: string, _options: unknown, command: Command) => {
      const words = new Map(wordsOf(program, ''));
      cli.terminal(command).streams.out.write(scriptOf(shell, words));
    });
}

function* wordsOf(command: Command, path: string): Generator<readonly [string, readonly string[]]> {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  yield [path, [...command.commands.map((each) => each.name()), ...flags, '--help']];
  for (const each of command.commands) yield* wordsOf(each, `${path} ${each.name()}`.trim());
}

function scriptOf(shell: string, words: Words): string {
  if (shell === 'bash') return bash(words);
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
  if (shell === 'fish') return fish(words);
  throw new Exit(EXIT.usage, 'There are scripts for bash, zsh and fish.');
}

function bash(words: Words): string {
  const cases = [...words].map(([path, next]) => `    "${path}") next="${next.join(' ')}" ;;`);
  return `_weft() {
  local path="" word next=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) if _weft_is "\${path:+$path }$word"; then path="\${path:+$path }$word"; fi ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_weft_is() { case "$1" in ${[...words.keys()]
    .filter(Boolean)
    .map((path) => `"${path}"`)
    .join('|')}) return 0 ;; *) return 1 ;; esac; }
complete -o default -F _weft weft
`;
}

function fish(words: Words): string {
  const lines = [...words].map(([path, next]) => {
    const [first, second] = path.split(' ');
    const seen = second
      ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
      : `__fish_seen_subcommand_from ${first}`;
    return `complete -c weft -f -n '${path === '' ? '__fish_use_subcommand' : seen}' -a '${next.join(' ')}'`;
  });
  return `${lines.join('\n')}\n`;
}
