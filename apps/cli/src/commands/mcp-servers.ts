import type { Command } from 'commander';
import { examples } from '../io/options.js';
import type { Cli, Session } from '../session/cli.js';
import { diffOf, settle, showDiff } from './apis.js';

export function mcpServerCommands(program: Command, cli: Cli): void {
  const servers = program.command('mcp-servers').description('MCP servers whose tools layers call');
  servers.command('list').description('all MCP servers of your company').action(cli.whileRead(list));
  servers
    .command('tools <server>')
    .description('what layers can call; by the id of the server or its key')
    .action(cli.whileRead(listTools));
  servers
    .command('add <url>')
    .description('the tools of a server, by the address of its endpoint')
    .option('--name <name>', 'what people call it; left out: the key, or the host of the address')
    .option('-k, --key <key>', 'what layers may name it by')
    .option('--link <id>', 'integration link whose credential the server is shown')
    .option('--era <era>', 'auto, 2026 or 2025: which revisions of the protocol are tried')
    .addHelpText(
      'after',
      examples('weft mcp-servers add https://mcp.example.com/mcp --key wiki --link 06dqx3v8k2m7w0r5t9ya'),
    )
    .action(cli.signedIn(add));
  servers
    .command('refresh <server>')
    .description('read the tools anew; by the id of the server or its key')
    .option('--url <url>', 'another address')
    .option('--dry-run', 'only compare')
    .addHelpText('after', examples('weft mcp-servers refresh wiki --dry-run'))
    .action(cli.signedIn(refresh));
  servers
    .command('diff <server>')
    .description('what the last refresh has found, and which flows it concerns')
    .option('--adopt', 'have these flows call the tools as they are now')
    .addHelpText('after', examples('weft mcp-servers diff wiki', 'weft mcp-servers diff wiki --adopt'))
    .action(
      cli.signedIn((session, server: string, options: { adopt?: boolean }) =>
        diffOf(session, session.weft.mcpServers, server, options),
      ),
    );
}

async function list({ weft, terminal }: Session): Promise<void> {
  await terminal.rows(weft.mcpServers.list({ size: 200 }), [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'KEY', of: ({ key }) => key },
    { title: 'NAME', of: ({ name }) => name, colour: () => 'bold' },
    { title: 'STATE', of: ({ state }) => state, colour: ({ state }) => (state === 'failed' ? 'red' : null) },
    { title: 'URL', of: ({ url }) => url },
    { title: 'READ', of: ({ importedAt }) => importedAt },
  ]);
}

async function listTools({ weft, terminal }: Session, server: string): Promise<void> {
  await terminal.rows(weft.mcpServers.tools(server, { size: 200 }), [
    { title: 'TOOL', of: ({ name }) => name, whole: true, colour: () => 'bold' },
    { title: 'HINTS', of: ({ tags }) => tags.join(', ') },
    { title: 'TITLE', of: ({ title }) => title },
    { title: 'DESCRIPTION', of: ({ description }) => description },
  ]);
}

interface AddOptions {
  readonly name?: string;
  readonly key?: string;
  readonly link?: string;
  readonly era?: string;
}

async function add(session: Session, url: string, options: AddOptions): Promise<void> {
  const { name = options.key ?? URL.parse(url)?.hostname ?? url, key, link: integrationId } = options;
  // the server refuses another one
  const era = options.era as 'auto' | undefined;
  const { id } = await session.weft.mcpServers.create({
    name: name.slice(0, 200),
    key,
    integrationId,
    url,
    ...(era && { era }),
  });
  await settle(session, session.weft.mcpServers, id, true, 'tools');
}

interface RefreshOptions {
  readonly url?: string;
  readonly dryRun?: boolean;
}

async function refresh(session: Session, server: string, { url, dryRun = false }: RefreshOptions): Promise<void> {
  const { mcpServers } = session.weft;
  const { id } = await mcpServers.refresh(server, { dryRun, ...(url !== undefined && { url }) });
  await settle(session, mcpServers, id, !dryRun, 'tools');
  await showDiff(session, mcpServers, id);
}
